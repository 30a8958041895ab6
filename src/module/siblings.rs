//! Roles of threads that go through the same steps and choose different values.

use super::representatives::Follow;

/// How many choices of values on one path have roles of their own: of more, the path is the role.
const MOST_CHOICES: usize = 4;

impl Follow {
    /// Makes one role of those of a path with more choices than have roles of their own.
    pub(super) fn join_many_choices(&mut self) {
        let mut choices = vec![0; self.roles.len()];
        self.siblings.iter().for_each(|&path| choices[path] += 1);
        let own =
            |(role, &path): (usize, &usize)| if choices[path] > MOST_CHOICES { path } else { role };
        let joined: Vec<usize> = self.siblings.iter().enumerate().map(own).collect();
        let mut kept: Vec<usize> = joined.clone();
        kept.sort_unstable();
        kept.dedup();
        let new = |role: usize| kept.binary_search(&joined[role]).expect("a joined role is kept");
        let any = |of: &[bool]| {
            let mut out = vec![false; kept.len()];
            of.iter().enumerate().for_each(|(role, is)| out[new(role)] |= is);
            out
        };
        let (computes, divides) = (any(&self.computes), any(&self.divides));
        let siblings = kept.iter().map(|&role| new(self.siblings[role])).collect();
        let mut roles = vec![Vec::new(); kept.len()];
        for (thread, member) in self.threads.iter_mut().enumerate() {
            member.role = new(member.role);
            roles[member.role].push(thread);
        }
        (self.roles, self.computes, self.divides, self.siblings) =
            (roles, computes, divides, siblings);
    }

    /// Whether a thread goes through the same steps as others of which there are more, and chooses other
    /// values.
    pub(super) fn is_odd(&self, thread: usize) -> bool {
        let role = self.threads[thread].role;
        let alike =
            (0..self.roles.len()).filter(|&other| self.siblings[other] == self.siblings[role]);
        let common = alike.max_by_key(|&other| self.roles[other].len());
        common.is_some_and(|common| common != role)
    }
}
