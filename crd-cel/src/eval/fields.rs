//! Evaluates protobuf messages and their fields.

use super::Error;
use super::implementation::Outcome;
use super::message::Message;
use super::node::Node;
use super::run::{Run, not_optional};
use super::value::Value;

/// The price of a message, without its fields.
const MESSAGE: u64 = 40;

impl<'v> Run<'v> {
    #[inline(never)]
    pub(super) fn message(&mut self, message: Message, nodes: &'v [(Box<str>, Node, bool)]) -> Outcome<'v> {
        let fields = self.fields_of_message(nodes);
        if let Err(error) = &fields
            && error.is_final()
        {
            return Err(error.clone());
        }
        self.meter.charge(MESSAGE)?;
        message.value(&mut self.meter, &fields?)
    }

    fn fields_of_message(
        &mut self,
        nodes: &'v [(Box<str>, Node, bool)],
    ) -> Result<Vec<(&'v str, Value<'v>)>, Error> {
        let mut fields = Vec::with_capacity(nodes.len());
        for (name, value, is_optional) in nodes {
            match (self.eval(value)?, is_optional) {
                (value, false) => fields.push((&**name, value)),
                (Value::Optional(Some(value)), true) => fields.push((&**name, (*value).clone())),
                (Value::Optional(None), true) => {}
                (other, true) => return Err(not_optional("object", &other)),
            }
        }
        Ok(fields)
    }
}
