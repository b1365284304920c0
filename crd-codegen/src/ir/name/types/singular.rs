//! Finds the singular of English words, for the names of list items. Acronyms that end in `s`, such as `DNS`, do not change.
//!
//! Crates for this purpose would add a regular expression engine to every build script, and treat `Dns` and `Status` as plurals.

/// Irregular plurals, and their singulars.
const IRREGULAR: &[(&str, &str)] = &[
    ("children", "child"),
    ("people", "person"),
    ("men", "man"),
    ("women", "woman"),
    ("mice", "mouse"),
    ("feet", "foot"),
    ("teeth", "tooth"),
    ("geese", "goose"),
    ("oxen", "ox"),
    ("criteria", "criterion"),
    ("phenomena", "phenomenon"),
    ("schemata", "schema"),
    ("indices", "index"),
    ("matrices", "matrix"),
    ("vertices", "vertex"),
    ("appendices", "appendix"),
    ("axes", "axis"),
    ("bases", "base"),
    ("analyses", "analysis"),
    ("hypotheses", "hypothesis"),
    ("parentheses", "parenthesis"),
    ("theses", "thesis"),
    ("syntheses", "synthesis"),
    ("crises", "crisis"),
    ("diagnoses", "diagnosis"),
    ("synopses", "synopsis"),
    ("uses", "use"),
    ("canvases", "canvas"),
    ("atlases", "atlas"),
    ("gases", "gas"),
    ("lenses", "lens"),
    ("caches", "cache"),
    ("niches", "niche"),
    ("quizzes", "quiz"),
    ("cookies", "cookie"),
    ("movies", "movie"),
    ("ties", "tie"),
    ("dies", "die"),
    ("pies", "pie"),
    ("calories", "calorie"),
    ("halves", "half"),
    ("leaves", "leaf"),
    ("shelves", "shelf"),
    ("selves", "self"),
    ("knives", "knife"),
    ("lives", "life"),
    ("wives", "wife"),
    ("wolves", "wolf"),
    ("loaves", "loaf"),
    ("thieves", "thief"),
    ("calves", "calf"),
    ("elves", "elf"),
    ("shoes", "shoe"),
    ("toes", "toe"),
    ("canoes", "canoe"),
    ("menus", "menu"),
    ("cpus", "cpu"),
    ("gpus", "gpu"),
    ("vcpus", "vcpu"),
    ("vgpus", "vgpu"),
    ("npus", "npu"),
    ("dpus", "dpu"),
    ("tpus", "tpu"),
    ("mtus", "mtu"),
    ("ids", "id"),
    ("ips", "ip"),
    ("vms", "vm"),
    ("dbs", "db"),
    ("pvs", "pv"),
    ("azs", "az"),
    ("cas", "ca"),
    ("pdbs", "pdb"),
    ("lbs", "lb"),
];

/// Words that end in `s` and have no separate singular.
const SINGULAR: &[&str] = &[
    "access",
    "aes",
    "aks",
    "alias",
    "als",
    "analytics",
    "argus",
    "aries",
    "artemis",
    "asbs",
    "atlas",
    "atls",
    "aws",
    "axis",
    "bias",
    "bps",
    "btrfs",
    "cephfs",
    "chaos",
    "christmas",
    "cifs",
    "cms",
    "cors",
    "canvas",
    "debris",
    "devops",
    "dms",
    "dns",
    "ebs",
    "ecs",
    "edns",
    "efs",
    "eks",
    "eos",
    "eps",
    "ethos",
    "ext4s",
    "fps",
    "ftps",
    "gas",
    "gbps",
    "gcs",
    "gfs",
    "gitops",
    "gks",
    "glusterfs",
    "gps",
    "hades",
    "hdfs",
    "helios",
    "hls",
    "hms",
    "hsts",
    "https",
    "iaas",
    "ics",
    "ies",
    "ims",
    "iops",
    "iris",
    "jks",
    "jwks",
    "kairos",
    "kafkas",
    "kbps",
    "kms",
    "ktls",
    "kubernetes",
    "ldaps",
    "lens",
    "lts",
    "macos",
    "mathematics",
    "mbps",
    "mtls",
    "nas",
    "news",
    "nexis",
    "nfs",
    "ntfs",
    "oas",
    "obs",
    "os",
    "paas",
    "pathos",
    "pelvis",
    "physics",
    "pkcs",
    "pops",
    "postgres",
    "qos",
    "qps",
    "rbs",
    "rcs",
    "rds",
    "redis",
    "rps",
    "saas",
    "sas",
    "sds",
    "secops",
    "series",
    "sls",
    "sms",
    "smtps",
    "sns",
    "species",
    "sps",
    "sqs",
    "sts",
    "talos",
    "tbs",
    "tcs",
    "tennis",
    "tls",
    "tps",
    "vcs",
    "vfs",
    "vas",
    "windows",
    "wss",
    "xds",
    "xfs",
    "yes",
    "zfs",
];

/// Returns a name in `UpperCamelCase` with the last word in the singular.
pub(super) fn last_word(name: &str) -> String {
    let start = name.rfind(|c: char| c.is_ascii_uppercase()).unwrap_or_default();
    let (before, word) = name.split_at(start);
    let singular = singular(&word.to_ascii_lowercase());
    let mut chars = singular.chars();
    match chars.next() {
        Some(first) => format!("{before}{}{}", first.to_ascii_uppercase(), chars.as_str()),
        None => name.to_owned(),
    }
}

/// Returns the singular of a word in lower case, or the word itself if it is not a plural.
fn singular(word: &str) -> String {
    if let Some((_, singular)) = IRREGULAR.iter().find(|(plural, _)| *plural == word) {
        return (*singular).to_owned();
    }
    // Two letters and an `s` are more often an acronym (`AWS`) than a plural.
    if SINGULAR.contains(&word) || word.len() < 4 {
        return word.to_owned();
    }
    let ends = |ends: &[&str]| ends.iter().any(|end| word.ends_with(end));
    let without = |count: usize| word[..word.len() - count].to_owned();
    if ends(&["ies"]) {
        return without(3) + "y";
    }
    let keeps_e = ends(&["auses", "ouses", "aches", "oches"]);
    if !keeps_e && ends(&["sses", "shes", "ches", "xes", "zzes", "oes", "uses", "iases"]) {
        return without(2);
    }
    if ends(&["ss", "sis", "us", "xis"]) || !ends(&["s"]) {
        return word.to_owned();
    }
    without(1)
}

#[cfg(test)]
mod tests {
    use super::last_word;

    #[test]
    fn plurals_become_singulars() {
        for (plural, singular) in [
            ("Conditions", "Condition"),
            ("ContainerStatuses", "ContainerStatus"),
            ("IpAddresses", "IpAddress"),
            ("NetworkPolicies", "NetworkPolicy"),
            ("Matches", "Match"),
            ("ClusterIps", "ClusterIp"),
            ("Boxes", "Box"),
            ("Indices", "Index"),
            ("Children", "Child"),
            ("Aliases", "Alias"),
            ("Databases", "Database"),
            ("Responses", "Response"),
            ("Caches", "Cache"),
            ("Clauses", "Clause"),
            ("Curves", "Curve"),
            ("Replicas", "Replica"),
            ("Apis", "Api"),
            ("Cookies", "Cookie"),
            ("Analyses", "Analysis"),
            ("Sizes", "Size"),
            ("BackendRefs", "BackendRef"),
            ("Gpus", "Gpu"),
            ("Heroes", "Hero"),
        ] {
            assert_eq!(last_word(plural), singular);
        }
    }

    #[test]
    fn singulars_and_acronyms_stay() {
        for word in [
            "Status",
            "Dns",
            "MutualTls",
            "Aws",
            "Access",
            "Series",
            "Data",
            "Analysis",
            "Redis",
            "Https",
            "Kubernetes",
            "Spec",
            "Nfs",
            "Prometheus",
            "S",
            "",
            "Match",
            "Os",
            "ClusterIp",
            "Alias",
            "Canvas",
        ] {
            assert_eq!(last_word(word), word);
        }
    }
}
