//! Reads of messages: code that looks into the text of a message in order to decide something.

use std::collections::BTreeSet;

use syn::visit::{self, Visit};
use syn::{Attribute, Block, Expr, ExprMethodCall, ImplItemFn, ItemFn, ItemMod, Local, Member, Pat};

/// The methods that look into a text.
const LOOKS: [&str; 12] = [
    "contains",
    "starts_with",
    "ends_with",
    "strip_prefix",
    "strip_suffix",
    "find",
    "rfind",
    "split",
    "split_once",
    "rsplit_once",
    "matches",
    "split_whitespace",
];

/// The names of fields, methods and variables that are messages.
const MESSAGES: [&str; 4] = ["message", "help", "reason", "summary"];

/// The names of variables whose printed form is a message.
const PRINTED: [&str; 8] =
    ["cause", "diagnostic", "refusal", "error", "failure", "warning", "advice", "finding"];

/// Returns the places of a source, without its tests, at which the text of a message is read: the receiver and the method.
pub(crate) fn reads(file: &syn::File) -> Vec<String> {
    let mut reader = Reader::default();
    reader.visit_file(file);
    reader.found
}

#[derive(Default)]
struct Reader {
    /// The local variables of the function that hold messages.
    held: BTreeSet<String>,
    found: Vec<String>,
}

impl Reader {
    fn function(&mut self, attributes: &[Attribute], block: &Block) {
        if attributes.iter().any(|attribute| attribute.path().is_ident("test")) {
            return;
        }
        let outer = std::mem::take(&mut self.held);
        self.visit_block(block);
        self.held = outer;
    }

    /// Returns the name of the message that an expression passes on: `cause.message.as_str()`.
    fn message(&self, expr: &Expr) -> Option<String> {
        let is_message = |name: &str| MESSAGES.contains(&name);
        match expr {
            Expr::Field(field) => match &field.member {
                Member::Named(name) if is_message(&name.to_string()) => Some(name.to_string()),
                _ => None,
            },
            Expr::Path(path) => {
                let name = path.path.get_ident()?.to_string();
                (is_message(&name) || self.held.contains(&name)).then_some(name)
            }
            Expr::MethodCall(call) => {
                let (name, receiver) = (call.method.to_string(), last_name(&call.receiver));
                if call.args.is_empty() && is_message(&name) {
                    return Some(format!("{name}()"));
                }
                if name == "to_string" && receiver.as_ref().is_some_and(|name| PRINTED.contains(&&**name)) {
                    return receiver;
                }
                // The length of a message, and whether it is there, are not its text.
                let keeps_text = !["len", "is_empty", "is_some", "is_none"].contains(&&*name);
                self.message(&call.receiver).filter(|_| keeps_text)
            }
            Expr::Reference(inner) => self.message(&inner.expr),
            Expr::Paren(inner) => self.message(&inner.expr),
            Expr::Try(inner) => self.message(&inner.expr),
            Expr::Unary(inner) => self.message(&inner.expr),
            _ => None,
        }
    }
}

/// Returns the last name of an expression such as `self.cause` or `cause`.
fn last_name(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
        Expr::Field(field) => match &field.member {
            Member::Named(name) => Some(name.to_string()),
            Member::Unnamed(_) => None,
        },
        _ => None,
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        if module.ident != "tests" {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        self.function(&function.attrs, &function.block);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast ImplItemFn) {
        self.function(&function.attrs, &function.block);
    }

    fn visit_local(&mut self, local: &'ast Local) {
        visit::visit_local(self, local);
        let pattern = match &local.pat {
            Pat::Type(typed) => &*typed.pat,
            pattern => pattern,
        };
        if let (Pat::Ident(name), Some(init)) = (pattern, &local.init)
            && self.message(&init.expr).is_some()
        {
            self.held.insert(name.ident.to_string());
        }
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        visit::visit_expr_method_call(self, call);
        let method = call.method.to_string();
        if let Some(message) = self.message(&call.receiver).filter(|_| LOOKS.contains(&&*method)) {
            self.found.push(format!("{message}.{method}"));
        }
    }
}

#[test]
fn reads_are_found() {
    let read = |code: &str| reads(&syn::parse_file(code).unwrap());
    for (code, found) in [
        ("fn f(c: &C) -> bool { c.message.contains(\"x\") }", "message.contains"),
        (
            "fn f(c: &C) { let text = c.message.to_lowercase(); g(text.starts_with('a')); }",
            "text.starts_with",
        ),
        ("fn f(refusal: &R) { let text = refusal.to_string(); g(text.split(' ')); }", "text.split"),
        (
            "impl A { fn f(&self) { self.help.as_deref().unwrap_or(\"\").strip_prefix('x'); } }",
            "help.strip_prefix",
        ),
        ("fn f(e: &E) { e.message().split_once(' '); }", "message().split_once"),
        ("fn f(message: &str) { message.find('x'); }", "message.find"),
    ] {
        assert_eq!(read(code), [found], "{code}");
    }
    for code in [
        "fn f(c: &C) -> bool { KNOWN.contains(&c.reason) }",
        "fn f(c: &C) -> bool { c.message == \"a\" || c.message.is_empty() }",
        "#[test] fn f(c: &C) { c.message.contains(\"x\"); }",
        "mod tests { fn f(c: &C) { c.message.contains(\"x\"); } }",
    ] {
        assert_eq!(read(code), [""; 0], "{code}");
    }
}
