//! Recognizes unions with a discriminator, a required property whose value determines which other property is set.

use std::collections::BTreeSet;

use super::constraint::{Candidate, Constraint, MAX_TRIED, Properties, Sets};
use super::group::{AcceptedCase, Group};

/// Returns the properties of which a discriminator's value selects at most one, if the constraints imply this. A property that can be set
/// together with another property is not included.
pub(super) fn group(
    discriminator: &Candidate,
    constraints: &[Constraint],
    is_free: &dyn Fn(&String) -> bool,
    sets: &mut Sets,
) -> Option<Group> {
    let is_own = |constraint: &&Constraint| {
        constraint.discriminators.len() == 1 && constraint.discriminators.contains(&discriminator.property)
    };
    let of_values: Vec<&Constraint> = constraints.iter().filter(is_own).collect();
    let names: BTreeSet<&String> = of_values.iter().flat_map(|constraint| &constraint.names).collect();
    let names: Vec<String> = names.into_iter().cloned().collect();
    let is_about_names = |constraint: &&Constraint| {
        constraint.discriminators.is_empty() && constraint.names.iter().all(|name| names.contains(name))
    };
    let about: Vec<&Constraint> =
        of_values.iter().copied().chain(constraints.iter().filter(is_about_names)).collect();
    if names.is_empty()
        || names.len() > MAX_TRIED
        || !sets.count((discriminator.values.len() * about.len()) << names.len())
    {
        return None;
    }
    let accepted = accepted(discriminator, &about, &names);
    let mut members: Vec<usize> = (0..names.len()).filter(|at| is_free(&names[*at])).collect();
    loop {
        let cases: Option<Vec<AcceptedCase>> = discriminator
            .values
            .iter()
            .zip(&accepted)
            .map(|(value, sets)| case(value, sets, &names, &members))
            .collect();
        let in_all = members
            .iter()
            .copied()
            .find(|at| accepted.iter().all(|sets| sets.iter().any(|set| set >> at & 1 == 1)));
        match (cases, in_all) {
            (Some(cases), None) if !members.is_empty() => {
                return Some(Group {
                    members: members.into_iter().map(|at| names[at].clone()).collect(),
                    is_required: true,
                    discriminator: Some((discriminator.property.clone(), cases)),
                });
            }
            _ if members.is_empty() => return None,
            // The one that stands next to most values belongs to none of them.
            _ => {
                let count = |at: &usize| {
                    accepted.iter().filter(|sets| sets.iter().any(|set| set >> at & 1 == 1)).count()
                };
                let most = members.iter().copied().max_by_key(|at| (count(at), *at))?;
                members.retain(|at| *at != most);
            }
        }
    }
}

/// Returns the sets of properties that the constraints accept, for each value of the discriminator.
fn accepted(discriminator: &Candidate, constraints: &[&Constraint], names: &[String]) -> Vec<Vec<usize>> {
    let of_value = |value: &String| {
        let is_accepted = |set: &usize| {
            let own = Some((discriminator.property.as_str(), value.as_str()));
            let properties = Properties { names, set: *set, discriminator: own };
            constraints.iter().all(|constraint| constraint.formula.holds(properties))
        };
        (0..1 << names.len()).filter(is_accepted).collect()
    };
    discriminator.values.iter().map(of_value).collect()
}

/// Returns the case for a value. Returns `None` if more than one member may be set, or if no set is accepted.
fn case(value: &str, sets: &[usize], names: &[String], members: &[usize]) -> Option<AcceptedCase> {
    let own = members.iter().fold(0, |own, at| own | 1 << at);
    let sets: BTreeSet<usize> = sets.iter().map(|set| set & own).collect();
    let is_required = !sets.contains(&0);
    let mut some = sets.into_iter().filter(|set| *set != 0);
    let member = match (some.next(), some.next()) {
        (None, _) if is_required => return None,
        (None, _) => None,
        (Some(set), None) if set.count_ones() == 1 => names.get(set.trailing_zeros() as usize).cloned(),
        _ => return None,
    };
    Some(AcceptedCase { value: value.to_owned(), is_required: is_required && member.is_some(), member })
}
