//! Runs compiled programs.

use super::program::{Bound, Evaluation, Program};
use super::run::{Run, Slots};
use super::value::Value;

impl Program {
    /// Runs the program with these variables. Reading a variable without a value is an error.
    ///
    /// ```
    /// use crd_cel::eval::{Data, DataKind, DataType, Program, Value};
    ///
    /// let ast = crd_cel::parse("true || self > 1")?;
    /// let program = Program::unchecked(&ast, &["self"]).unwrap();
    /// // Data of a wrong type is an error only for rules that read it.
    /// let integer = DataType::new(DataKind::Int);
    /// let json = serde_json::json!("no integer");
    /// let variables = [Value::from_data(Data::new(&json, &integer))];
    /// assert!(matches!(program.run(variables, Program::CALL_LIMIT).result, Ok(Value::Bool(true))));
    /// # Ok::<(), crd_cel::Issues>(())
    /// ```
    #[must_use]
    pub fn run<'v, V: Into<Bound<'v>>>(
        &'v self,
        values: impl IntoIterator<Item = V>,
        limit: u64,
    ) -> Evaluation<'v> {
        self.run_within(values, limit, Self::WORK_LIMIT)
    }

    /// Runs the program like [`Program::run`], with `work` as the limit for CPU work. A run that exceeds this limit fails, and the server's
    /// result is unknown.
    ///
    /// ```
    /// use crd_cel::eval::{Program, Value};
    ///
    /// let ast = crd_cel::parse("duration(self) > duration('1s')")?;
    /// let program = Program::unchecked(&ast, &["self"]).unwrap();
    /// let text = "0h".repeat(10_000);
    /// let evaluation = program.run_within([Some(Value::from(&*text))], Program::CALL_LIMIT, 1_000);
    /// assert!(evaluation.result.unwrap_err().is_out_of_work());
    /// # Ok::<(), crd_cel::Issues>(())
    /// ```
    #[must_use]
    pub fn run_within<'v, V: Into<Bound<'v>>>(
        &'v self,
        values: impl IntoIterator<Item = V>,
        limit: u64,
        work: u64,
    ) -> Evaluation<'v> {
        let mut slots = Slots::new(self, None, None);
        for (slot, value) in values.into_iter().take(self.variables.len()).enumerate() {
            slots[slot] = value.into().0;
        }
        self.run_in(slots, limit, work)
    }

    /// Runs the program like [`Program::run_within`]. `variables` are the first two variables.
    ///
    /// ```
    /// use crd_cel::eval::{Program, Value};
    ///
    /// let ast = crd_cel::parse("self > oldSelf")?;
    /// let program = Program::unchecked(&ast, &["self", "oldSelf"]).unwrap();
    /// let variables = [2, 1].map(|number| Some(Value::from(number)).into());
    /// let evaluation = program.run_on(variables, Program::CALL_LIMIT, Program::WORK_LIMIT);
    /// assert!(matches!(evaluation.result, Ok(Value::Bool(true))));
    /// # Ok::<(), crd_cel::Issues>(())
    /// ```
    #[must_use]
    pub fn run_on<'v>(&'v self, variables: [Bound<'v>; 2], limit: u64, work: u64) -> Evaluation<'v> {
        let ([first, second], count) = (variables, self.variables.len());
        let slots = Slots::new(self, first.0.filter(|_| count > 0), second.0.filter(|_| count > 1));
        self.run_in(slots, limit, work)
    }

    #[inline]
    fn run_in<'v>(&'v self, slots: Slots<'v>, limit: u64, work: u64) -> Evaluation<'v> {
        let mut run = Run::new(self, slots, limit, work);
        let truth = if self.is_condition { run.truth(&self.root) } else { None };
        let result = truth.map_or_else(|| run.eval(&self.root), |truth| Ok(Value::Bool(truth)));
        Evaluation { result, cost: run.meter.cost(), work: work - run.meter.work_left() }
    }
}
