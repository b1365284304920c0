//! Matches on a union with a discriminator: the filters of a route, whose `type` tells which other property is there.
//!
//! This command generated `src/api`:
//!
//! ```console
//! crdkit generate crds --out src/api --unions --constructors --setters
//! ```

// Generated code has its own formatting.
#[rustfmt::skip]
mod api;

use api::gateway_example_org::v1::Route;
use api::gateway_example_org::v1::route::{
    RouteRule, RouteRuleFilter, RouteRuleFilterRequestRedirect, RouteRuleFilterRequestRedirectStatusCode,
    RouteSpec,
};

fn main() {
    let redirect = RouteRuleFilterRequestRedirect::new()
        .with_hostname("www.example.org")
        .with_status_code(RouteRuleFilterRequestRedirectStatusCode::V301);
    let filters = [RouteRuleFilter::RequestRedirect(redirect), RouteRuleFilter::Cors(None)];
    let rule = RouteRule::new("/shop").with_filters(filters);
    let route = Route::new("shop", RouteSpec::new(["example.org"], [rule]));
    for line in described(&route) {
        println!("{line}");
    }
}

// ANCHOR: match
/// Returns one line for each filter of a route.
fn described(route: &Route) -> Vec<String> {
    let mut lines = Vec::new();
    for rule in &route.spec.rules {
        for filter in rule.filters.iter().flatten() {
            let what = match filter {
                RouteRuleFilter::RequestHeaderModifier(headers) => {
                    let set = headers.set.iter().flatten();
                    set.map(|(name, value)| format!("sets {name}: {value}")).collect::<Vec<_>>().join(", ")
                }
                RouteRuleFilter::RequestRedirect(redirect) => {
                    format!("redirects to {}", redirect.hostname.as_deref().unwrap_or("the same host"))
                }
                RouteRuleFilter::RequestMirror(mirror) => {
                    format!("copies {} % to {}", mirror.percent.unwrap_or(100), mirror.service)
                }
                RouteRuleFilter::Cors(None) => "allows all origins".to_owned(),
                RouteRuleFilter::Cors(Some(cors)) => {
                    format!(
                        "allows {}",
                        cors.allow_origins.iter().flatten().cloned().collect::<Vec<_>>().join(", ")
                    )
                }
            };
            lines.push(format!("{}: {what}", rule.path));
        }
    }
    lines
}
// ANCHOR_END: match

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_filter_is_described() {
        let route: Route = serde_json::from_value(json!({
            "apiVersion": "gateway.example.org/v1",
            "kind": "Route",
            "metadata": {"name": "shop"},
            "spec": {
                "hostnames": ["example.org"],
                "rules": [{"path": "/", "filters": [
                    {"type": "RequestHeaderModifier", "requestHeaderModifier": {"set": {"x-shop": "1"}}},
                    {"type": "RequestRedirect", "requestRedirect": {"path": "/new"}},
                    {"type": "RequestMirror", "requestMirror": {"service": "audit", "percent": 5}},
                    {"type": "CORS", "cors": {"allowOrigins": ["a.example.org"]}},
                    {"type": "CORS"},
                ]}],
            },
        }))
        .unwrap();
        assert_eq!(
            described(&route),
            [
                "/: sets x-shop: 1",
                "/: redirects to the same host",
                "/: copies 5 % to audit",
                "/: allows a.example.org",
                "/: allows all origins",
            ]
        );
    }

    #[test]
    fn a_filter_without_its_property_is_refused() {
        let filter = serde_json::from_value::<RouteRuleFilter>(json!({"type": "RequestMirror"}));
        assert_eq!(
            filter.unwrap_err().to_string(),
            "where `type` is `RequestMirror`, `requestMirror` must be set, and none of `requestHeaderModifier`, \
             `requestRedirect`, `cors`"
        );
    }
}
