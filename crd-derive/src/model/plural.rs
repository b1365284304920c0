//! Forms the English plural of a kind, in lower case.

/// Words with an irregular plural.
const IRREGULAR: &[(&str, &str)] = &[
    ("person", "people"),
    ("child", "children"),
    ("foot", "feet"),
    ("tooth", "teeth"),
    ("goose", "geese"),
    ("mouse", "mice"),
    ("man", "men"),
    ("woman", "women"),
    ("ox", "oxen"),
    ("datum", "data"),
    ("medium", "media"),
    ("criterion", "criteria"),
    ("phenomenon", "phenomena"),
    ("matrix", "matrices"),
    ("vertex", "vertices"),
    ("quiz", "quizzes"),
    ("leaf", "leaves"),
    ("shelf", "shelves"),
    ("half", "halves"),
    ("knife", "knives"),
    ("life", "lives"),
    ("hero", "heroes"),
    ("echo", "echoes"),
    ("potato", "potatoes"),
    ("tomato", "tomatoes"),
    ("axis", "axes"),
    ("epoch", "epochs"),
    ("monarch", "monarchs"),
    ("stomach", "stomachs"),
    ("bus", "buses"),
    ("gas", "gases"),
    ("lens", "lenses"),
    // The same in both numbers.
    ("endpoints", "endpoints"),
    ("series", "series"),
    ("species", "species"),
    ("chassis", "chassis"),
    ("sheep", "sheep"),
];

/// Returns the plural of `kind`, or `None` if it already ends like a plural: `Settings`, `DNS`.
pub(super) fn plural(kind: &str) -> Option<String> {
    let lower = kind.to_lowercase();
    let word = last_word(kind);
    let stem = lower.strip_suffix(&word.to_lowercase())?;
    if let Some((_, plural)) = IRREGULAR.iter().find(|(singular, _)| *singular == word.to_lowercase()) {
        return Some(format!("{stem}{plural}"));
    }
    let ends = |endings: &[&str]| endings.iter().any(|ending| lower.ends_with(ending));
    let but_last = |count: usize| &lower[..lower.len() - count];
    if word.len() > 1 && word.ends_with(|c: char| c.is_ascii_uppercase()) {
        // An acronym: VMs, but nobody knows whether a DNS is many.
        return (!word.ends_with('S')).then(|| format!("{lower}s"));
    }
    if ends(&["sis"]) && lower.len() > 4 {
        return Some(format!("{}es", but_last(2)));
    }
    if ends(&["ss", "us", "ias", "vas", "x", "z", "ch", "sh"]) {
        return Some(format!("{lower}es"));
    }
    if lower.ends_with('s') && lower.len() > 1 {
        return None;
    }
    if lower.ends_with('y') && lower.len() > 1 && !ends(&["ay", "ey", "iy", "oy", "uy"]) {
        return Some(format!("{}ies", but_last(1)));
    }
    Some(format!("{lower}s"))
}

/// Returns the last word of a name in `CamelCase`: `Class` in `IngressClass`, `VM` in `MyVM`.
fn last_word(kind: &str) -> &str {
    let letters: Vec<(usize, char)> = kind.char_indices().collect();
    let mut starts = letters.windows(2).filter(|pair| !pair[0].1.is_uppercase() && pair[1].1.is_uppercase());
    starts.next_back().map_or(kind, |pair| &kind[pair[1].0..])
}

#[cfg(test)]
mod tests {
    use super::plural;

    #[test]
    fn kinds_have_english_plurals() {
        let kinds = [
            ("CronTab", "crontabs"),
            ("Shirt", "shirts"),
            ("Ingress", "ingresses"),
            ("IngressClass", "ingressclasses"),
            ("NetworkPolicy", "networkpolicies"),
            ("Gateway", "gateways"),
            ("Proxy", "proxies"),
            ("Status", "statuses"),
            ("Alias", "aliases"),
            ("Canvas", "canvases"),
            ("Analysis", "analyses"),
            ("Datum", "data"),
            ("Person", "people"),
            ("Human", "humans"),
            ("Endpoints", "endpoints"),
            ("TimeSeries", "timeseries"),
            ("Mesh", "meshes"),
            ("Box", "boxes"),
            ("Index", "indexes"),
            ("Epoch", "epochs"),
            ("VirtualMachine", "virtualmachines"),
            ("MyVM", "myvms"),
            ("EIP", "eips"),
            ("Y", "ys"),
            ("Foo", "foos"),
            ("Repository", "repositories"),
            ("Key", "keys"),
        ];
        for (kind, expected) in kinds {
            assert_eq!(plural(kind).as_deref(), Some(expected));
        }
    }

    #[test]
    fn a_possible_plural_needs_a_name() {
        for kind in ["Settings", "Credentials", "DNS", "TLS", "ClusterSettings"] {
            assert_eq!(plural(kind), None, "{kind}");
        }
    }
}
