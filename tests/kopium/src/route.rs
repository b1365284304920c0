//! The filters of a route, each a struct with a type and an `Option` for each property.

use crate::route_types::{Route, RouteRulesFiltersType};

// ANCHOR: match
/// Returns one line for each filter of a route.
pub fn described(route: &Route) -> Vec<String> {
    let mut lines = Vec::new();
    for rule in &route.spec.rules {
        for filter in rule.filters.iter().flatten() {
            let what = match filter.r#type {
                RouteRulesFiltersType::RequestHeaderModifier => {
                    let Some(headers) = &filter.request_header_modifier else { continue };
                    let set = headers.set.iter().flatten();
                    set.map(|(name, value)| format!("sets {name}: {value}")).collect::<Vec<_>>().join(", ")
                }
                RouteRulesFiltersType::RequestRedirect => {
                    let Some(redirect) = &filter.request_redirect else { continue };
                    format!("redirects to {}", redirect.hostname.as_deref().unwrap_or("the same host"))
                }
                RouteRulesFiltersType::RequestMirror => {
                    let Some(mirror) = &filter.request_mirror else { continue };
                    format!("copies {} % to {}", mirror.percent.unwrap_or(100), mirror.service)
                }
                RouteRulesFiltersType::Cors => match &filter.cors {
                    None => "allows all origins".to_owned(),
                    Some(cors) => {
                        let origins = cors.allow_origins.iter().flatten().cloned();
                        format!("allows {}", origins.collect::<Vec<_>>().join(", "))
                    }
                },
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
                    {"type": "RequestMirror", "requestMirror": {"service": "audit", "percent": 5}},
                    {"type": "CORS"},
                    // Read without an error, and passed over.
                    {"type": "RequestRedirect"},
                ]}],
            },
        }))
        .unwrap();
        assert_eq!(
            described(&route),
            ["/: sets x-shop: 1", "/: copies 5 % to audit", "/: allows all origins"]
        );
    }
}
