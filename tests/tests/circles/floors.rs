//! Floors of a crate: which of its modules may use which others.

use crate::modules::Modules;

/// The floors of a crate, each with its rooms, and these with their modules.
pub(crate) struct Floors<'t> {
    rooms: Vec<Room<'t>>,
}

struct Room<'t> {
    floor: usize,
    modules: Vec<&'t str>,
}

impl<'t> Floors<'t> {
    /// Reads floors, one on a line.
    pub(crate) fn parse(lines: impl Iterator<Item = &'t str>) -> Self {
        let rooms = lines.enumerate().flat_map(|(floor, line)| {
            line.split('|').map(move |room| Room { floor, modules: room.split_whitespace().collect() })
        });
        Self { rooms: rooms.collect() }
    }

    /// Returns what breaks the order of the floors.
    pub(crate) fn broken(&self, modules: &Modules) -> Vec<String> {
        let mut broken = Vec::new();
        // The root shows what is in the crate, and may use everything.
        for (file, used) in modules.uses().iter().filter(|(file, _)| *file != "lib") {
            let Some(own) = self.room(file) else {
                if !used.is_empty() {
                    broken.push(format!("`{file}` is on no floor"));
                }
                continue;
            };
            for other in used {
                match self.room(other) {
                    Some(room) if std::ptr::eq(room, own) || room.floor < own.floor => {}
                    Some(_) => broken.push(format!("`{file}` uses `{other}`, which is not below it")),
                    None => broken.push(format!("`{file}` uses `{other}`, which is on no floor")),
                }
            }
        }
        broken
    }

    /// Returns the room of a file: that of the most exact name.
    fn room(&self, file: &str) -> Option<&Room<'t>> {
        let is_in = |module: &&str| {
            file.strip_prefix(*module).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let exactness = |room: &Room<'t>| {
            room.modules.iter().filter(|module| is_in(module)).map(|module| module.len()).max()
        };
        self.rooms.iter().filter(|room| exactness(room).is_some()).max_by_key(|room| exactness(room))
    }
}
