//! Unions with a discriminator compile without a warning, and values go through their types without a loss.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]
#![deny(warnings)]
#![allow(clippy::needless_pass_by_value, reason = "values are written in place")]

mod common;
mod round_trip;

use serde_json::{Value, json};

use common::fixture;
use crd_codegen::{Config, Form, Layout, generate};
use round_trip::{keeps, object, refuses};

/// The support module of all goldens.
#[expect(dead_code, reason = "these goldens do not need all of it")]
pub mod support {
    include!("golden/support.rs");
}

mod discriminators {
    include!("golden/discriminators.rs");
}

mod discriminators_with_forms {
    include!("golden/discriminators_with_forms.rs");
}

fn route(spec: Value) -> Value {
    object("discriminators.example.com/v1", "Route", spec)
}

#[test]
fn discriminators_keep_the_wire_form() {
    use discriminators::discriminators_example_com::v1::Route;
    use discriminators_with_forms::discriminators_example_com::v1::Route as Open;
    let filters = json!([
        {"type": "RequestRedirect", "requestRedirect": {"hostname": "h", "statusCode": 301}},
        {"type": "URLRewrite", "urlRewrite": {}},
        {"type": "CORS"},
        {"type": "CORS", "cors": ["a"]},
        {"type": "Mirror", "mirror": 0.5},
    ]);
    for spec in [
        json!({"filters": filters}),
        json!({"source": {"name": "n", "from": "None"}}),
        json!({"source": {"name": "n", "from": "Secret", "reference": {"key": "k"}, "optional": true}}),
        json!({"source": {"name": "n", "from": "ConfigMap", "reference": {"key": "k"}}}),
        json!({"source": {"name": "n", "from": "Inline", "inline": "i"}}),
        json!({"balancer": {"type": "Hash", "hash": "h"}}),
        json!({"balancer": {"type": "Random", "slowStart": 3}}),
        json!({"defaulted": {"a": "a"}, "loose": {"type": "A", "a": "a", "b": "b"}}),
    ] {
        keeps::<Route>(route(spec.clone()));
        keeps::<Open>(route(spec));
    }
    keeps::<Open>(route(json!({"filters": [{"type": "Later"}]})));
}

#[test]
fn what_does_not_go_with_a_discriminator_is_refused() {
    use discriminators::discriminators_example_com::v1::Route;
    let refused = |filter: Value| refuses::<Route>(&route(json!({"filters": [filter]})));
    assert_eq!(
        refused(json!({"type": "URLRewrite"})),
        "where `type` is `URLRewrite`, `urlRewrite` must be set, and none of `requestRedirect`, `cors`, `mirror`"
    );
    assert_eq!(
        refused(json!({"type": "URLRewrite", "urlRewrite": {}, "mirror": 1})),
        "where `type` is `URLRewrite`, `urlRewrite` must be set, and none of `requestRedirect`, `cors`, `mirror`"
    );
    assert_eq!(
        refused(json!({"type": "Later"})),
        "unknown `type` `Later`, expected one of `RequestRedirect`, `URLRewrite`, `CORS`, `Mirror`"
    );
    assert_eq!(refused(json!({})), "missing field `type`");
    let source = json!({"source": {"name": "n", "from": "None", "inline": "i"}});
    assert_eq!(
        refuses::<Route>(&route(source)),
        "where `from` is `None`, none of `reference`, `inline` may be set"
    );
}

#[test]
fn discriminated_unions_are_matched_and_made() {
    use discriminators_with_forms::discriminators_example_com::v1::Route;
    use discriminators_with_forms::discriminators_example_com::v1::route::{
        RouteApply, RouteFilter, RouteFilterRequestRedirect, RouteSource, RouteSourceFrom,
        RouteSourceReference, RouteSpec,
    };
    let redirect = RouteFilter::RequestRedirect(RouteFilterRequestRedirect::new("h"));
    assert_eq!(redirect.discriminator(), "RequestRedirect");
    let secret = RouteSourceFrom::Secret(RouteSourceReference::new("k"));
    let spec = RouteSpec::new()
        .with_filters([redirect, RouteFilter::Cors(None)])
        .with_source(RouteSource::new("n", secret));
    let wire = json!({
        "filters": [{"type": "RequestRedirect", "requestRedirect": {"hostname": "h"}}, {"type": "CORS"}],
        "source": {"name": "n", "from": "Secret", "reference": {"key": "k"}},
    });
    let object = Route::new("r", spec);
    assert_eq!(serde_json::to_value(&object).unwrap()["spec"], wire);
    assert!(matches!(
        object.spec.as_ref().unwrap().filters.as_deref(),
        Some([RouteFilter::RequestRedirect(_), _])
    ));
    let form = RouteApply::from(object);
    assert_eq!(serde_json::to_value(form).unwrap()["spec"], wire);
    keeps::<RouteApply>(route(json!({"filters": [{"mirror": 1}], "source": {"from": "Inline"}})));
}

#[test]
fn the_form_derive_has_a_struct_for_each_discriminator() {
    let mut config = Config::new();
    config.form(Form::Derive).unions(true).layout(Layout::SingleFile);
    let generated = |config: &Config| generate(&fixture("discriminators"), config);
    let text = |config: &Config| generated(config).files[0].contents.clone();

    let has_struct =
        |text: &str, name: &str| text.contains(&format!("try_from = \"{name}\", into = \"{name}\""));
    for name in ["RouteFilterWire", "RouteSourceFromWire", "RouteBalancerTypeWire"] {
        assert!(has_struct(&text(&config), name), "{name}");
    }
    // serde clones what it converts to write it.
    let mut without_clone = config.clone();
    without_clone.no_derive("Clone".parse().unwrap());
    assert!(!text(&without_clone).contains("try_from = "));

    config.name_override("Route.spec.filters[].wire=FilterObject".parse().unwrap());
    assert!(has_struct(&text(&config), "FilterObject"));
    let rules = ["FilterObject", "Route.spec.source.from", "Route.spec.source.from.wire"];
    for rule in rules {
        config.elide(rule.parse().unwrap());
    }
    let said: Vec<String> =
        generated(&config).findings.iter().map(|finding| finding.diagnostic.to_string()).collect();
    let refused = |rule: &str| {
        format!("elide: Invalid value: \"{rule}\": this type cannot be left out, because a union uses it")
    };
    assert_eq!(said, rules.map(refused));
}
