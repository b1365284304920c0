//! Typical values for the names and formats of fields.

use serde_json::Value;

/// Returns strings that suit a field with this name, the likeliest first. They are followed by strings in forms that many patterns require.
pub(crate) fn texts(name: &str) -> impl Iterator<Item = &'static str> {
    const ANY: &[&str] = &[
        "example",
        "example.com",
        "https://example.com",
        "10s",
        "1Gi",
        "1",
        "/example",
        "example.com/example",
        "2024-01-01T00:00:00Z",
        "1.0.0",
        "v1.0.0",
        "10.0.0.0/16",
        "10.0.0.1",
        "10.0.0.1:8080",
        "Example",
        "EXAMPLE",
        "50%",
        "0 * * * *",
        "arn:aws:iam::123456789012:role/example",
        "admin@example.com",
    ];
    by_name(name).iter().chain(ANY).copied()
}

fn by_name(name: &str) -> &'static [&'static str] {
    const NAMES: &[(&str, &[&str])] = &[
        ("apiversion", &["v1"]),
        ("apigroup", &["example.com"]),
        ("kind", &["ConfigMap"]),
        ("namespace", &["default"]),
        ("image", &["registry.example.com/app:1.0.0"]),
        ("imagepullpolicy", &["IfNotPresent"]),
        ("email", &["admin@example.com"]),
        ("schedule", &["0 * * * *"]),
        ("cron", &["0 * * * *"]),
        ("cidr", &["10.0.0.0/16"]),
        ("subnet", &["10.0.0.0/24"]),
        ("arn", &["arn:aws:iam::123456789012:role/example"]),
        ("url", &["https://example.com"]),
        ("uri", &["https://example.com"]),
        ("endpoint", &["https://example.com"]),
        ("hostname", &["example.com"]),
        ("host", &["example.com"]),
        ("domain", &["example.com"]),
        ("ip", &["10.0.0.1"]),
        ("address", &["10.0.0.1"]),
        ("timeout", &["30s"]),
        ("interval", &["30s"]),
        ("duration", &["1h"]),
        ("period", &["30s"]),
        ("ttl", &["1h"]),
        ("cpu", &["500m"]),
        ("memory", &["512Mi"]),
        ("storage", &["10Gi"]),
        ("size", &["10Gi"]),
        ("quantity", &["1"]),
        ("percentage", &["50%"]),
        ("region", &["eu-central-1"]),
        ("version", &["1.0.0"]),
        ("path", &["/path"]),
        ("timestamp", &["2024-01-01T00:00:00Z"]),
        ("time", &["2024-01-01T00:00:00Z"]),
        ("script", &["echo hello"]),
        ("command", &["/bin/example"]),
        ("operator", &["In", "Equal"]),
        ("message", &["everything is fine"]),
        ("description", &["an example"]),
    ];
    let name: String =
        name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let is_plural = |suffix: &str| name.strip_suffix('s').is_some_and(|name| name.ends_with(suffix));
    let found = NAMES.iter().find(|(suffix, _)| name.ends_with(suffix) || is_plural(suffix));
    found.map_or(&[], |(_, texts)| texts)
}

/// Returns an integer that suits a field with this name.
pub(crate) fn integer(name: &str) -> i64 {
    let name = name.to_ascii_lowercase();
    match name.as_str() {
        name if name.ends_with("port") => 8080,
        name if name.ends_with("percent") || name.ends_with("percentage") => 50,
        name if name.contains("seconds") => 30,
        _ => 1,
    }
}

/// Returns some strings for a format with a checksum, which a pattern cannot describe.
pub(crate) fn checked_format_values(format: &str) -> Option<&'static [&'static str]> {
    Some(match format.replace('-', "").as_str() {
        "isbn" | "isbn13" => &["978-4-87311-368-5", "9784873113685"],
        "isbn10" => &["3836221195", "1-61729-085-8", "3 401 01319 X"],
        "creditcard" => &["4220855426222389", "5139288802098206", "374953669708156"],
        _ => return None,
    })
}

/// Returns a pattern for a format.
pub(crate) fn pattern(format: &str) -> Option<String> {
    let uuid = |version: &str| {
        format!("^[0-9a-f]{{8}}-[0-9a-f]{{4}}-{version}[0-9a-f]{{3}}-[89ab][0-9a-f]{{3}}-[0-9a-f]{{12}}$")
    };
    const BYTE: &str = "(0|[1-9][0-9]?|1[0-9][0-9]|2[0-4][0-9]|25[0-5])";
    const LABEL: &str = "[a-z]([a-z0-9-]{0,10}[a-z0-9])?";
    let ipv4 = format!(r"{BYTE}\.{BYTE}\.{BYTE}\.{BYTE}");
    let date = "(19|20)[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])";
    Some(match format.replace('-', "").as_str() {
        "bsonobjectid" => "^[0-9a-f]{24}$".to_owned(),
        "uri" => format!("^https?://{LABEL}\\.example\\.com(/[a-z0-9]{{1,8}}){{0,3}}$"),
        "email" => format!("^{LABEL}@{LABEL}\\.example\\.com$"),
        "hostname" | "k8slongname" => format!("^{LABEL}(\\.{LABEL}){{0,2}}$"),
        "ipv4" => format!("^{ipv4}$"),
        "ipv6" => "^2001:db8(:[1-9a-f][0-9a-f]{0,3}){6}$".to_owned(),
        "cidr" => format!("^{ipv4}/([1-9]|[12][0-9]|3[0-2])$"),
        "mac" => "^[0-9a-f]{2}(:[0-9a-f]{2}){5}$".to_owned(),
        "uuid" => uuid("[1-5]"),
        "uuid3" => uuid("3"),
        "uuid4" => uuid("4"),
        "uuid5" => uuid("5"),
        "ssn" => "^[0-9]{3}-[0-9]{2}-[0-9]{4}$".to_owned(),
        "hexcolor" => "^#?([0-9a-fA-F]{3}){1,2}$".to_owned(),
        "rgbcolor" => format!(r"^rgb\({BYTE},{BYTE},{BYTE}\)$"),
        "byte" => "^([A-Za-z0-9+/]{4})*$".to_owned(),
        "date" => format!("^{date}$"),
        "duration" => "^[1-9][0-9]{0,2}(ms|s|m|h)$".to_owned(),
        "datetime" => format!(r"^{date}T([01][0-9]|2[0-3])(:[0-5][0-9]){{2}}Z$"),
        "k8sshortname" => format!("^{LABEL}$"),
        _ => return None,
    })
}

/// Returns a typical string for a format.
pub(crate) fn format_value(format: &str) -> Option<&'static str> {
    Some(match format.replace('-', "").as_str() {
        "uri" => "https://example.com",
        "email" => "admin@example.com",
        "hostname" => "example.com",
        "ipv4" => "10.0.0.1",
        "ipv6" => "2001:db8::1",
        "cidr" => "10.0.0.0/16",
        "mac" => "00:00:5e:00:53:01",
        "uuid" | "uuid4" => "025b0d74-00a2-4048-bf57-227c5111bb34",
        "hexcolor" => "#336699",
        "rgbcolor" => "rgb(51,102,153)",
        "byte" => "ZXhhbXBsZQ==",
        "date" => "2024-01-01",
        "duration" => "1h",
        "datetime" => "2024-01-01T00:00:00Z",
        _ => return None,
    })
}

/// Returns a value for a field without a schema.
pub(crate) fn anything() -> Value {
    Value::Object(serde_json::Map::new())
}
