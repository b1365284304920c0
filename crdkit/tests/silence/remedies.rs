//! Remedies of `crd()` in Rust's terms.

use crdkit::{CrdSchema, CustomResource};
use k8s_openapi::api::core::v1::ResourceRequirements;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use serde::{Deserialize, Serialize};

mod wrong {
    use super::*;

    spec!(bounds {
        #[crd(validation = "self.all(a, self.exists(b, b > a))")]
        #[crd(list_type = "atomic")]
        sizes: Vec<i64>,
    });
    spec!(of_items {
        #[crd(list_type = "atomic", item_validation = "self.matches('(a|b)+c') && self.find('(a|b)+c') != ''")]
        #[schemars(length(max = 1000))]
        names: Vec<String>,
    });
    spec!(defaults {
        #[serde(default = "one_tebibyte")]
        size: Quantity,
        #[serde(default)]
        level: Level,
    });
    spec!(inner_defaults {
        #[serde(default = "requests_of_one_tebibyte")]
        resources: ResourceRequirements,
    });
    spec!(messages {
        #[crd(validation(rule = "self > 1", message_expression = "'is ' + string(self)"))]
        a: i32,
    });
    spec!(statuses #[crd(status = "Never")] {
        a: i32,
    });

    fn one_tebibyte() -> Quantity {
        Quantity("1TiB".to_owned())
    }

    fn requests_of_one_tebibyte() -> ResourceRequirements {
        let requests = [("storage".to_owned(), one_tebibyte())];
        ResourceRequirements { requests: Some(requests.into()), ..ResourceRequirements::default() }
    }

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug, Default)]
    struct Level(#[schemars(range(min = 1))] u8);

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    pub(super) enum Never {}
}

#[track_caller]
fn helps<R: CustomResource>() -> Vec<String> {
    let error = R::crd().map(drop).expect_err("the API server rejects it");
    error.causes().iter().map(|cause| cause.help().to_owned()).collect()
}

#[test]
fn limits_are_attributes_of_fields() {
    let help = helps::<wrong::bounds::Foo>().remove(0);
    assert!(help.starts_with("add `maxItems: "), "{help}");
    assert!(help.contains("; in Rust, `#[schemars(length(max = "), "{help}");
    assert!(help.ends_with("))]` on `FooSpec.sizes`"), "{help}");
    let help = helps::<wrong::of_items::Foo>().remove(0);
    assert!(help.contains("; in Rust, `#[schemars(inner(length(max = "), "{help}");
}

#[test]
fn wrong_defaults_have_a_remedy() {
    let helps = helps::<wrong::defaults::Foo>();
    let remedy =
        "return a value that the schema accepts from `Default` or the function of `#[serde(default)]`";
    assert!(helps.contains(&format!("{remedy}: quantities are written as `1Ti` or `500m`")), "{helps:?}");
    assert!(helps.contains(&remedy.to_owned()), "{helps:?}");
}

#[test]
fn quantities_in_the_default_of_a_struct_have_a_remedy() {
    let helps = helps::<wrong::inner_defaults::Foo>();
    assert!(
        helps.iter().all(|help| help.ends_with(": quantities are written as `1Ti` or `500m`")),
        "{helps:?}"
    );
}

#[test]
fn a_message_that_costs_too_much_has_a_remedy() {
    let helps = helps::<wrong::messages::Foo>();
    assert!(helps[0].contains("`'is %d'.format([self])`"), "{helps:?}");
}

#[test]
fn a_status_without_values_has_a_remedy() {
    let helps = helps::<wrong::statuses::Foo>();
    assert!(helps[0].ends_with("or remove `status` from the attribute"), "{helps:?}");
}
