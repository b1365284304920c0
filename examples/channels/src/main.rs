//! One program for two channels of definitions, standard and experimental: the same kinds, of which the experimental ones have more
//! fields.
//!
//! This command generated `src/standard` and `src/experimental`, by the jobs of `crdkit.toml`:
//!
//! ```console
//! crdkit run
//! ```

// ANCHOR: modules
// Generated code has its own formatting.
#[cfg(feature = "experimental")]
#[rustfmt::skip]
mod experimental;
#[rustfmt::skip]
mod standard;

// The channel for which the program is built.
#[cfg(feature = "experimental")]
use experimental as channel;
#[cfg(not(feature = "experimental"))]
use standard as channel;

use channel::channels_example_org::v1::Route;
use channel::channels_example_org::v1::route::{RouteRule, RouteSpec};
// ANCHOR_END: modules

fn main() -> serde_json::Result<()> {
    println!("{}", serde_json::to_string_pretty(&route("shop", "cart"))?);
    Ok(())
}

// ANCHOR: build
/// Sends requests for a host to a service. With the experimental channel, it tries each request three times.
fn route(name: &str, service: &str) -> Route {
    let rule = RouteRule::new("/", service);
    #[cfg(feature = "experimental")]
    let rule = rule.with_retry(channel::channels_example_org::v1::route::RouteRuleRetry::new(3));
    Route::new(name, RouteSpec::new([format!("{name}.example.org")], [rule]))
}
// ANCHOR_END: build

// ANCHOR: both
/// The services of a route, of whichever channel it is.
pub trait Services {
    /// Returns their names, in the order of the rules.
    fn services(&self) -> Vec<&str>;
}

macro_rules! services {
    ($($route:ty),*) => {$(
        impl Services for $route {
            fn services(&self) -> Vec<&str> {
                self.spec.rules.iter().map(|rule| rule.service.as_str()).collect()
            }
        }
    )*};
}
services!(standard::channels_example_org::v1::Route);
#[cfg(feature = "experimental")]
services!(experimental::channels_example_org::v1::Route);
// ANCHOR_END: both

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_route_names_its_service() {
        let route = route("shop", "cart");
        assert_eq!(route.services(), ["cart"]);
        assert_eq!(route.spec.hostnames, ["shop.example.org"]);
    }

    // ANCHOR: convert
    /// The experimental channel has all fields of the standard one, so that its types read objects of both.
    #[test]
    fn experimental_types_read_standard_objects() {
        let standard = standard::channels_example_org::v1::Route::new(
            "shop",
            standard::channels_example_org::v1::route::RouteSpec::new(
                ["shop.example.org"],
                [standard::channels_example_org::v1::route::RouteRule::new("/", "cart")],
            ),
        );
        let value = serde_json::to_value(&standard).unwrap();
        let route: Route = serde_json::from_value(value).unwrap();
        assert_eq!(route.services(), standard.services());
    }
    // ANCHOR_END: convert
}
