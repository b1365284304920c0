//! Finds comments in CRD files that accept problems: `# crdkit: allow(RULE) reason`.

use std::collections::{BTreeMap, HashMap};

use crd_core::{FieldPath, Segment};
use crd_input::{Limits, Origin, Source, SourceMap};
use crd_lint::{Rule, rule_names};

use crate::configuration::unknown_rule;

/// The start of a comment.
const START: &str = "# crdkit: allow(";
/// Maximum number of paths at which a comment is looked for: the path of the problem and the paths above it. A comment can be at the
/// keyword with the problem, at the list or rule that contains the keyword, or at the field whose schema contains the keyword. A comment
/// above `apiVersion` applies to the whole CRD.
const MOST_ABOVE: usize = 4;

/// The comments in all files. The comments in the last file are cached.
pub(super) struct Comments<'s> {
    sources: HashMap<&'s str, &'s Source>,
    limits: &'s Limits,
    last: Option<(String, Option<CommentsOfText>)>,
    /// Messages about comments that accept nothing, with the comments' positions.
    remarks: Vec<String>,
}

/// The comments in a text, by the line to which they apply.
pub(super) struct CommentsOfText {
    by_line: BTreeMap<usize, Vec<Comment>>,
    map: SourceMap,
    /// The lines with comments that accept nothing, and the reasons.
    faults: Vec<(usize, String)>,
}

/// A comment, which accepts the problems reported by a rule or group for a given reason.
struct Comment {
    name: String,
    reason: String,
}

impl<'s> Comments<'s> {
    pub(super) fn new(sources: &'s [Source], limits: &'s Limits) -> Self {
        let sources = sources.iter().map(|source| (source.relative(), source)).collect();
        Self { sources, limits, last: None, remarks: Vec::new() }
    }

    /// Returns the reason in a comment that accepts a problem.
    pub(super) fn reason(&mut self, origin: &Origin, field: &FieldPath, rule: &Rule) -> Option<String> {
        if self.last.as_ref().is_none_or(|(file, _)| *file != origin.file) {
            let text = self.sources.get(&*origin.file).and_then(|source| source.read_again(self.limits).ok());
            let comments = text.and_then(|text| CommentsOfText::new(&text));
            for (line, fault) in comments.iter().flat_map(|comments| &comments.faults) {
                self.remarks.push(format!("{}:{line}: {fault}", origin.file));
            }
            self.last = Some((origin.file.clone(), comments));
        }
        let (_, comments) = self.last.as_ref()?;
        comments.as_ref()?.reason(origin.document, field, rule)
    }

    /// Returns messages about comments that accept nothing, in files with problems.
    pub(super) fn remarks(&self) -> impl Iterator<Item = String> {
        self.remarks.iter().cloned()
    }
}

impl CommentsOfText {
    /// Returns the comments in a text, or `None` if there are no comments.
    pub(super) fn new(text: &str) -> Option<Self> {
        if !text.contains(START) {
            return None;
        }
        let (mut by_line, mut above, mut faults) = (BTreeMap::new(), Vec::new(), Vec::new());
        for (i, line) in text.lines().enumerate() {
            match comment(line) {
                Some(Ok(comment)) => above.push(comment),
                Some(Err(fault)) => faults.push((i + 1, fault)),
                None => {}
            }
            if !line.trim_start().starts_with('#') && !above.is_empty() {
                by_line.insert(i + 1, std::mem::take(&mut above));
            }
        }
        Some(Self { by_line, map: SourceMap::new(text), faults })
    }

    /// Returns the reason in a comment that accepts a problem.
    pub(super) fn reason(&self, document: usize, field: &FieldPath, rule: &Rule) -> Option<String> {
        self.nearest(document, field, rule).or_else(|| self.at(document, &FieldPath::new("apiVersion"), rule))
    }

    /// Returns the reason in a comment at a problem's path or at one of the paths above it.
    fn nearest(&self, document: usize, field: &FieldPath, rule: &Rule) -> Option<String> {
        let mut place = Some(field);
        for _ in 0..MOST_ABOVE {
            let path = place.filter(|path| !path.is_root())?;
            let reason = self.at(document, path, rule);
            if reason.is_some() || matches!(path.last(), Some(Segment::Key(_))) {
                return reason;
            }
            place = path.parent();
        }
        None
    }

    /// Returns the reason in a comment at a path.
    fn at(&self, document: usize, path: &FieldPath, rule: &Rule) -> Option<String> {
        let line = self.map.locate(document, path)?.line;
        let comments = self.by_line.get(&line)?;
        let is_meant = |comment: &&Comment| comment.name == rule.id || comment.name == rule.group.as_str();
        comments.iter().find(is_meant).map(|comment| comment.reason.clone())
    }
}

/// Returns the comment in a line.
///
/// # Errors
/// - The rule or group in the comment is unknown, or the comment gives no reason. Such a comment accepts no findings.
fn comment(line: &str) -> Option<Result<Comment, String>> {
    let start = line.find(START).filter(|start| *start == 0 || line[..*start].ends_with([' ', '\t']))?;
    let Some((name, reason)) = line[start + START.len()..].split_once(')') else {
        return Some(Err("the comment has no `)`, and accepts nothing".to_owned()));
    };
    let (name, reason) = (name.trim(), reason.trim());
    if !rule_names().any(|known| known == name) {
        return Some(Err(unknown_rule(name)));
    }
    Some(match reason {
        "" => Err(format!("the comment has no reason after `allow({name})`, and accepts nothing")),
        _ => Ok(Comment { name: name.to_owned(), reason: reason.to_owned() }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crd_lint::rules;

    const TEXT: &str = "\
# crdkit: allow(boolean) All booleans are final.
apiVersion: apiextensions.k8s.io/v1
spec:
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        properties:
          # crdkit: allow(list-without-type) Nobody applies it.
          a: {type: array}
          b:
            type: array # crdkit: allow(convention)   Set by the controller.
          c: {type: array} # crdkit: allow(list-without-type)
          # crdkit: allow(phase) Another rule.
          d: {type: array}
";

    #[test]
    fn a_comment_is_for_the_field_below_it_and_for_its_line() {
        let comments = CommentsOfText::new(TEXT).unwrap();
        let rule = rules().find(|rule| rule.id == "list-without-type").unwrap();
        let root = FieldPath::new("spec").child("versions").index(0).child("schema").child("openAPIV3Schema");
        let reason = |name: &str| comments.reason(0, &root.child("properties").key(name), rule);
        assert_eq!(reason("a").as_deref(), Some("Nobody applies it."));
        let type_of_b = root.child("properties").key("b").child("type");
        assert_eq!(comments.reason(0, &type_of_b, rule).as_deref(), Some("Set by the controller."));
        assert_eq!(reason("c"), None, "it has no reason");
        assert_eq!(reason("d"), None, "it is for another rule");
        let rule = rules().find(|rule| rule.id == "boolean").unwrap();
        let path = root.child("properties").key("d").child("type");
        assert_eq!(comments.reason(0, &path, rule).as_deref(), Some("All booleans are final."));
        assert!(CommentsOfText::new("a: 1 # crdkit is good").is_none());
    }

    #[test]
    fn comments_that_accept_nothing_are_named() {
        let text = TEXT.replace("(phase)", "(phse)") + "          # crdkit: allow(phase no end\n";
        let faults = CommentsOfText::new(&text).unwrap().faults;
        assert_eq!(
            faults,
            [
                (
                    13,
                    "the comment has no reason after `allow(list-without-type)`, and accepts nothing"
                        .to_owned()
                ),
                (14, "unknown rule or group `phse`; did you mean `phase`?".to_owned()),
                (16, "the comment has no `)`, and accepts nothing".to_owned()),
            ]
        );
    }
}
