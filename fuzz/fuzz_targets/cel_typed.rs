//! Well-typed expressions from bytes: they parse, have the expected type, have a cost, run, and yield a value of the type.
#![no_main]

mod typed;

use std::sync::LazyLock;

use crd_cel::eval::{Data, DataKind, DataType, ListType, Opaque, Program, Value};
use crd_cel::{DeclId, Declarations, Declared, Environment, Scope, Shape, Variable, Version};
use libfuzzer_sys::fuzz_target;
use serde_json::{Value as Json, json};
use typed::{FIELDS, Maker, Ty, field_type};

static SELF: LazyLock<(Declarations, DeclId)> = LazyLock::new(|| {
    let mut declarations = Declarations::default();
    let fields =
        FIELDS.iter().map(|(name, ty)| ((*name).into(), declare(&field_type(ty), &mut declarations)));
    let fields = fields.collect();
    let root = add(Shape::Object(fields), &mut declarations);
    (declarations, root)
});
static OBJECT: LazyLock<(Json, DataType)> = LazyLock::new(|| {
    let object = json!({
        "b": true, "i": 7, "n": 1.5, "s": "hello", "bytes": "aGk=", "time": "2020-02-29T12:30:45Z", "dur": "1h",
        "ls": ["a", "b", "a"], "li": [3, 1, 2], "m": {"x": 1, "y": 2}, "any": "7",
    });
    let fields = FIELDS.iter().map(|(name, ty)| (*name, DataType::new(kind(&field_type(ty)))));
    (object, DataType::new(DataKind::object(fields)))
});

fn add(shape: Shape, declarations: &mut Declarations) -> DeclId {
    declarations.add(Declared { shape, max_elements: 20, min_serialized_size: 2 })
}

fn declare(ty: &Ty, declarations: &mut Declarations) -> DeclId {
    let shape = match ty {
        Ty::Simple("bool") => Shape::Bool,
        Ty::Simple("int") => Shape::Int,
        Ty::Simple("double") => Shape::Double,
        Ty::Simple("string") => Shape::String,
        Ty::Simple("bytes") => Shape::Bytes,
        Ty::Simple("timestamp") => Shape::Timestamp,
        Ty::Simple("duration") => Shape::Duration,
        Ty::List(of) => Shape::List(declare(of, declarations)),
        Ty::Map(_, of) => Shape::Map(declare(of, declarations)),
        _ => Shape::Dyn,
    };
    add(shape, declarations)
}

fn kind(ty: &Ty) -> DataKind {
    match ty {
        Ty::Simple("bool") => DataKind::Bool,
        Ty::Simple("int") => DataKind::Int,
        Ty::Simple("double") => DataKind::Double,
        Ty::Simple("string") => DataKind::String,
        Ty::Simple("bytes") => DataKind::Bytes,
        Ty::Simple("timestamp") => DataKind::DateTime,
        Ty::Simple("duration") => DataKind::Duration,
        Ty::List(of) => DataKind::List(Box::new(DataType::new(kind(of))), ListType::Atomic),
        Ty::Map(_, of) => DataKind::Map(Box::new(DataType::new(kind(of)))),
        _ => DataKind::IntOrString,
    }
}

/// Errors other than those of types: literals that are evaluated when a rule is checked, and formats with their arguments.
const LITERALS: [&str; 7] = [
    "invalid duration argument",
    "invalid timestamp argument",
    "could not parse formatting clause",
    "error during formatting",
    "out of range",
    "too many arguments supplied",
    "types of the expression are too large",
];

fuzz_target!(|bytes: &[u8]| {
    let mut maker = Maker::new(bytes);
    let depth = maker.pick(7);
    let ty = maker.ty(2);
    let text = maker.expr(&ty, depth);
    if text.len() > 20_000 {
        return;
    }
    let (declarations, root) = &*SELF;
    let variables = [("self", Variable::Declared(*root))];
    let scope = Scope::new(declarations, *root, &variables);
    let checked = match Environment::new(Version::NEWEST).compile(&text, &scope) {
        Ok(checked) => checked,
        Err(issues) => {
            let is_expected = |message: &str| {
                LITERALS.iter().any(|known| message.contains(known)) || message.contains("recursion")
            };
            let unexpected = issues.as_slice().iter().find(|issue| !is_expected(&issue.message));
            assert!(unexpected.is_none(), "{text}\n{issues}");
            return;
        }
    };
    assert_eq!(checked.result_type(), ty.to_string(), "{text}");
    let _ = checked.max_cost();
    let instantiated = checked.instantiate();
    let program = match (Program::new(&checked), instantiated) {
        (Ok(program), Ok(())) => program,
        (Err(_), Err(_)) => return,
        (program, instantiated) => panic!("{text}\n{:?}\n{instantiated:?}", program.map(|_| ())),
    };
    let (object, of) = &*OBJECT;
    let value = Value::from_data(Data::new(object, of)).expect("the object is of its type");
    let evaluation = program.run(vec![Some(value)], Program::CALL_LIMIT);
    // Upstream unwraps an optional in an optional that comes through a variable or through `?:`, whatever its type says:
    // `optional.of(1).optMap(x, [0.0][?1]).value().hasValue()` is `no such overload: hasValue(null_type)` there.
    let unwraps = [" ? ", ".optMap(", ".optFlatMap(", ".map(", ".filter(", ".transform", ".sortBy("];
    let makes_optional = ["opt", "[?", ".?"].iter().any(|form| text.contains(form));
    let may_unwrap = makes_optional && unwraps.iter().any(|form| text.contains(form));
    if let Ok(value) = evaluation.result
        && !may_unwrap
    {
        assert!(has_type(&value, &ty), "{text}\nis no {ty}: {value:?}");
    }
});

/// Returns `true` if a value is of a type, with all values in it.
fn has_type(value: &Value<'_>, ty: &Ty) -> bool {
    match (value, ty) {
        (_, Ty::Simple("dyn")) => true,
        (Value::List(list), Ty::List(of)) => {
            list.iter().all(|value| value.is_ok_and(|value| has_type(&value, of)))
        }
        (Value::Map(map), Ty::Map(key, of)) => map.keys().all(|found| {
            has_type(&found, key)
                && map.get(&found).is_some_and(|value| value.is_ok_and(|value| has_type(&value, of)))
        }),
        (Value::Optional(inner), Ty::Optional(of)) => {
            inner.as_ref().is_none_or(|value| is_unconverted(value) || has_type(value, of))
        }
        (Value::Type(_), Ty::Type(_)) => true,
        (value, Ty::Simple(_)) => value.type_name() == ty.to_string(),
        _ => false,
    }
}

/// Returns `true` for a value of a library in an unwrapped optional, which the server cannot convert.
fn is_unconverted(value: &Value<'_>) -> bool {
    matches!(value, Value::Opaque(opaque) if matches!(**opaque, Opaque::Unconverted(_)))
}
