//! What a launch says of threads that nobody looked at, and of launches that start early.

use crate::kernels::{asked, launched, module};
use crate::support::command::ptxmc;

/// A kernel by this name that does something with the elements of a buffer.
fn kernel(name: &str, body: &str) -> String {
    format!(
        "
.visible .entry {name}(.param .u64 p) {{
  .reg .pred %p<3>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<9>;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %ctaid.x;
  mad.wide.u32 %rd2, %r1, 4, %rd1;
{body}
  ret;
}}
"
    )
}

#[test]
fn early_launches_wait_for_the_one_before_alone() {
    let wait = "  griddepcontrol.wait;\n";
    let first = kernel("k1", "  st.global.u32 [%rd2], 1;\n");
    let third = kernel("k3", &format!("{wait}  ld.global.u32 %r2, [%rd2];\n"));
    let launch = "buf a[2] of .u32; k1<<<2, 1>>>(a); k2<<<2, 1>>>(a) pdl; k3<<<2, 1>>>(a) pdl";
    for (second, expected) in [(wait, 0), ("", 1)] {
        let kernels = [&*first, &kernel("k2", second), &third].concat();
        let (text, status) = launched("early", &module(&kernels), launch);
        assert_eq!(status, expected, "{text}");
    }
    // A launch in the ordinary way waits for all before it.
    let last = kernel("k3", "  ld.global.u32 %r2, [%rd2];\n");
    let kernels = [&*first, &kernel("k2", ""), &last].concat();
    let ordinary = launch.replace("k3<<<2, 1>>>(a) pdl", "k3<<<2, 1>>>(a)");
    let (text, status) = launched("ordinary", &module(&kernels), &ordinary);
    assert_eq!(status, 0, "{text}");
}

#[test]
fn statements_that_only_other_threads_reach_are_told() {
    // The last of all CTAs reads what the others have written.
    let body = "  st.global.u32 [%rd2+4], 1;
  atom.relaxed.gpu.global.add.u32 %r2, [%rd1], 1;
  mov.u32 %r3, %nctaid.x;
  sub.u32 %r3, %r3, 1;
  setp.ne.u32 %p1, %r2, %r3;
  @%p1 bra $END;
  ld.global.u32 %r4, [%rd1+8];
$END:";
    let module = module(&kernel("k", body));
    let launch = |ctas: u32| format!("buf a[{}] of .u32; k<<<{ctas}, 1>>>(a)", ctas + 1);
    let (text, status) = launched("few", &module, &launch(3));
    assert_eq!(status, 1, "{text}");
    let (text, status) = launched("many", &module, &launch(300));
    assert_eq!(status, 3, "{text}");
    assert!(
        text.contains("none of them is known to reach what accesses memory at k.ptx:18"),
        "{text}"
    );
}

#[test]
fn copies_of_other_threads_are_followed() {
    let copy = "  setp.eq.u32 %p1, %r1, 0;
  mov.u32 %r2, %tid.x;
  setp.ne.u32 %p2, %r2, 0;
  .shared .align 128 .b32 s[1024];
  .shared .align 8 .b64 bar;
  @%p2 bra $LOAD;
  mbarrier.init.shared::cta.b64 [bar], 1;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 256;
  cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s+2048], [%rd1], 256, [bar];
$LOAD:
  mad.wide.u32 %rd3, %r2, 4, %rd1;
  mov.u32 %r3, s;
  mad.lo.u32 %r3, %r2, 4, %r3;
  ld.shared.u32 %r4, [%r3];";
    let launch = "buf a[1024] of .u32; k<<<1, 1024>>>(a)";
    let (text, status) = launched("copied", &module(&kernel("k", copy)), launch);
    assert_eq!(status, 1, "{text}");
    assert!(text.contains("thread 512"), "{text}");
    let apart = copy.replace("[s+2048], [%rd1], 256", "[s+4096], [%rd1], 256");
    let apart = apart.replace("s[1024]", "s[1088]");
    let (text, status) = launched("copied-apart", &module(&kernel("k", &apart)), launch);
    assert_ne!(status, 1, "{text}");
}

#[test]
fn misaligned_vectors_of_one_thread_are_found() {
    let store = "  mov.u32 %r2, %tid.x;
  mad.lo.u32 %r3, %r1, 512, %r2;
  mad.wide.u32 %rd3, %r3, 16, %rd1;
  setp.eq.u32 %p1, %r2, 300;
  selp.u64 %rd4, 8, 0, %p1;
  add.u64 %rd3, %rd3, %rd4;
  st.global.v4.u32 [%rd3], {%r1, %r1, %r1, %r1};";
    let launch = "buf a[4096] of .u32; k<<<2, 512>>>(a)";
    let (text, status) = launched("misaligned", &module(&kernel("k", store)), launch);
    assert_eq!(status, 1, "{text}");
    assert!(text.contains("not aligned to its size"), "{text}");
    let (text, status) =
        launched("aligned", &module(&kernel("k", &store.replace("8, 0", "0, 0"))), launch);
    assert_eq!(status, 0, "{text}");
}

#[test]
fn places_in_other_ctas_are_not_known() {
    let halo = "  mov.u32 %r2, %tid.x;
  .shared .align 4 .b32 s[256];
  mov.u32 %r3, s;
  mad.lo.u32 %r4, %r2, 4, %r3;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  st.shared.u32 [%r4], 1;
  bar.sync 0;
  xor.b32 %r5, %r1, 1;
  sub.u32 %r6, 191, %r2;
  mad.lo.u32 %r6, %r6, 4, %r3;
  mapa.shared::cluster.u32 %r7, %r6, %r5;
  ld.shared::cluster.u32 %r8, [%r7];
  barrier.cluster.arrive;
  barrier.cluster.wait;";
    let launch = "buf a[4] of .u32; k<<<2, 192>>>(a) cluster(2)";
    let (text, status) = launched("halo", &module(&kernel("k", halo)), launch);
    assert_eq!(status, 3, "{text}");
    assert!(text.contains("where some accesses go is not known"), "{text}");
}

#[test]
fn registers_of_products_are_in_use_whatever_becomes_of_their_values() {
    let product = |wait: &str, store: &str| {
        let body = format!(
            "  .shared .align 128 .b32 a[4];
  .shared .align 128 .b32 b[4];
  mov.u32 %r5, 0;
  st.shared.v4.u32 [a], {{%r5, %r5, %r5, %r5}};
  st.shared.v4.u32 [b], {{%r5, %r5, %r5, %r5}};
  fence.proxy.async.shared::cta;
  wgmma.fence.sync.aligned;
  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{%r1,%r2,%r3,%r4}}, a, b, 1, 1, 1, 0, 0;
  wgmma.commit_group.sync.aligned;
{wait}
  {store}"
        );
        module(&kernel("k", &body)).replace("sm_90", "sm_90a")
    };
    let launch = "buf out[8] of .u32; k<<<1, 1>>>(out)";
    for store in ["st.global.u32 [%rd1], %r1;", "red.global.add.u32 [%rd1], %r1;"] {
        let wait = "  wgmma.wait_group.sync.aligned 0;";
        let (text, status) = launched("waited", &product(wait, store), launch);
        assert_eq!(status, 0, "{text}");
        let (text, status) = launched("in-use", &product("", store), launch);
        assert_eq!(status, 1, "{text}");
        assert!(text.contains("before a `wgmma.wait_group` that covers it"), "{text}");
    }
}

/// What one CTA or thread of many does otherwise, without a branch, is looked at.
#[test]
fn operands_of_barriers_and_sizes_of_copies_tell_roles_apart() {
    let own = "  setp.eq.u32 %p1, %r1, 41;\n";
    let number = format!("{own}  selp.u32 %r2, 17, 0, %p1;\n  barrier.sync %r2;");
    let mask = format!(
        "{own}  selp.u32 %r2, 2, 0xffffffff, %p1;\n  mov.u32 %r3, %tid.x;\n  \
         setp.ne.u32 %p2, %r3, 0;\n  @%p2 bra $END;\n  bar.warp.sync %r2;\n$END:"
    );
    let size = format!(
        "  .shared .align 16 .b32 s[8];\n{own}  selp.u32 %r2, 24, 16, %p1;\n  \
         cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], %r2;"
    );
    for (body, rule) in [(&number, "above 15"), (&mask, "outside its mask"), (&size, "multiple")] {
        let (text, status) =
            launched("operands", &module(&kernel("k", body)), "buf a[8] of .u32; k<<<300, 2>>>(a)");
        assert_eq!(status, 1, "{text}");
        assert!(text.contains(rule), "{text}");
    }
}

/// Threads that only one CTA has together are looked at together.
#[test]
fn roles_of_one_cta_are_looked_at_together() {
    let body = "  mov.u32 %r2, %tid.x;
  mad.lo.u32 %r3, %r1, 2, %r2;
  setp.eq.u32 %p1, %r3, 83;
  @%p1 bra $OTHER;
  barrier.sync 0;
  bra $END;
$OTHER:
  barrier.sync 1;
$END:";
    let (text, status) =
        launched("apart", &module(&kernel("k", body)), "buf a[8] of .u32; k<<<300, 2>>>(a)");
    assert_eq!(status, 3, "{text}");
    assert!(text.contains("cta 41 thread 0") && text.contains("may wait for ever"), "{text}");
}

/// Whether two threads race may depend on the scope that both are in, on the warp, and on the lock that both
/// take.
#[test]
fn pairs_of_threads_of_each_kinship_are_looked_at() {
    let counted = "  atom.relaxed.cluster.global.add.u32 %r2, [%rd1], 1;";
    let exchanged = "  .shared .b32 s[512];
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, s;
  mad.lo.u32 %r3, %r2, 4, %r3;
  st.shared.u32 [%r3], %r2;
  bar.warp.sync 0xffffffff;
  setp.eq.u32 %p1, %r2, 319;
  @%p1 bra $END;
  ld.shared.u32 %r4, [%r3+4];
$END:";
    let locked = "  shr.u32 %r2, %r1, 8;
  mad.wide.u32 %rd3, %r2, 4, %rd1;
$LOCK:
  atom.acquire.gpu.global.cas.b32 %r3, [%rd3], 0, 1;
  setp.ne.u32 %p1, %r3, 0;
  @%p1 bra $LOCK;
  ld.global.u32 %r4, [%rd1+64];
  st.global.u32 [%rd1+64], %r4;
  st.release.gpu.global.u32 [%rd3], 0;";
    let few = "buf a[32] of .u32; k<<<2, 1>>>(a)";
    for (body, launch, smaller) in [
        (
            counted,
            "buf a[32] of .u32; k<<<300, 1>>>(a) cluster(2)",
            few.replace("(a)", "(a) cluster(2)"),
        ),
        (
            exchanged,
            "buf a[32] of .u32; k<<<1, 320>>>(a)",
            "buf a[32] of .u32; k<<<1, 32>>>(a)".to_owned(),
        ),
        (locked, "buf a[32] of .u32; k<<<512, 1>>>(a)", few.to_owned()),
    ] {
        let module = module(&kernel("k", body));
        let (text, status) = launched("kin", &module, launch);
        assert_eq!(status, 1, "{text}");
        assert!(text.contains("races      the 4-byte"), "{text}");
        let (text, _) = launched("near", &module, &smaller);
        assert!(text.contains("races      none"), "{text}");
    }
}

/// A kernel whose threads store an element, do something that is not followed, and load the one of
/// their neighbour.
fn around(unfollowed: &str, declared: &str) -> String {
    let body = format!(
        "  mov.u32 %r2, %tid.x;
  xor.b32 %r3, %r2, 1;
  mad.wide.u32 %rd3, %r2, 4, %rd1;
  mad.wide.u32 %rd4, %r3, 4, %rd1;
  st.global.u32 [%rd3], 1;
{unfollowed}
  ld.global.u32 %r4, [%rd4];"
    );
    module(&[declared, &kernel("k", &body)].concat())
}

#[test]
fn behind_what_is_not_followed_no_race_is_sure() {
    let launch = "buf a[2] of .u32; k<<<1, 2>>>(a)";
    let extern_function = ".extern .func meet ();\n";
    let branch = "TABLE: .branchtargets NEXT, END;\n  brx.idx %r1, TABLE;\nEND: ret;\nNEXT:";
    let ways = [
        ("call.uni", extern_function, "  call.uni meet, ();"),
        ("frobnicate.sync.aligned", "", "  frobnicate.sync.aligned %r5, %r1;"),
        ("brx.idx", "", branch),
    ];
    for (name, declared, unfollowed) in ways {
        let (text, status) = launched("unfollowed", &around(unfollowed, declared), launch);
        assert_eq!(status, 3, "{text}");
        let line = format!("what threads do behind `{name}` is not known");
        assert!(text.contains(&line), "{text}");
    }
    // A race of what stands before it is a race all the same, and so is one of other ways.
    let before = "  st.global.u32 [%rd1], 2;\n  call.uni meet, ();";
    let elsewhere = "  setp.eq.u32 %p1, %r2, 2;\n  @%p1 call.uni meet, ();";
    let launch = "buf a[4] of .u32; k<<<1, 3>>>(a)";
    for unfollowed in [before, elsewhere] {
        let (text, status) = launched("before", &around(unfollowed, extern_function), launch);
        assert_eq!(status, 1, "{text}");
    }
    // Who waits at a barrier for a thread that is not followed may wait for ever.
    let waits = "  setp.eq.u32 %p1, %r2, 0;\n  @%p1 call.uni meet, ();\n  bar.sync 0;
  st.global.u32 [%rd1], 2;";
    let (text, status) = launched("waits", &around(waits, extern_function), launch);
    assert_eq!(status, 3, "{text}");
}

#[test]
fn waits_that_only_other_threads_reach_are_told() {
    let ticket = |rest: &str| {
        let body = format!(
            "  atom.relaxed.gpu.global.add.u32 %r2, [%rd1], 1;
  setp.ne.u32 %p1, %r2, 300;
  @%p1 ret;
{rest}"
        );
        module(&kernel("k", &body))
    };
    let launch = "buf a[1] of .u32; k<<<1, 512>>>(a) cluster(1)";
    let ways = [("W: bra W;", "hang"), ("  barrier.cluster.wait;", "undefined")];
    for (rest, question) in ways {
        let (text, status) = launched("other", &ticket(rest), launch);
        assert_eq!(status, 3, "{text}");
        let line = text.lines().find(|line| line.trim_start().starts_with(question));
        let line = line.expect("each question has a line");
        assert!(line.contains("none of them is known to reach what"), "{text}");
        assert!(line.contains("k.ptx:15"), "{text}");
    }
    // Registers that only other threads compute do no harm.
    let (text, status) = launched("harmless", &ticket("  add.u32 %r3, %r2, 1;"), launch);
    assert_eq!(status, 0, "{text}");
}

#[test]
fn barriers_that_a_part_of_a_warp_passes_by_are_found() {
    let store = "  mad.wide.u32 %rd3, %r4, 4, %rd1;
  st.global.u32 [%rd3], 1;";
    let guarded = |skip: &str, join: &str| {
        format!(
            "  mov.u32 %r2, %tid.x;
  mad.lo.u32 %r4, %r1, 256, %r2;
  setp.ge.u32 %p1, %r2, LIMIT;
  {skip}
  bar.sync 0;
{join}
{store}"
        )
    };
    let launch = "buf a[25600] of .u32; k<<<100, 256>>>(a)";
    let answer = |name: &str, body: String| launched(name, &module(&kernel("k", &body)), launch);
    let branch = guarded("@%p1 bra $JOIN;", "$JOIN:");
    // The threads that come to the barrier and those that do not share the second warp alone.
    let (text, status) = answer("part-of-a-warp", branch.replace("LIMIT", "48"));
    assert_eq!(status, 1, "{text}");
    assert!(text.contains("an `.aligned` barrier"), "{text}");
    assert!(text.contains("cta 0 thread 32"), "{text}");
    let (text, status) = answer("whole-warps", branch.replace("LIMIT", "64"));
    assert_eq!(status, 0, "{text}");
    let (text, status) = answer("bounds", guarded("@%p1 ret;", "").replace("LIMIT", "48"));
    assert_eq!(status, 0, "{text}");
    let each = branch.replace("bar.sync", "barrier.sync").replace("LIMIT", "48");
    let (text, status) = answer("not-aligned", each);
    assert_eq!(status, 0, "{text}");
}

#[test]
fn threads_that_choose_other_values_have_roles_of_their_own() {
    let pairs = "  mov.u32 %r2, %tid.x;
  mad.lo.u32 %r3, %r1, 128, %r2;
  mad.wide.u32 %rd3, %r3, 4, %rd1;
  st.global.u32 [%rd3+64], %r3;
  bar.sync 0;
  shr.u32 %r4, %r1, 1;
  mad.wide.u32 %rd4, %r4, 4, %rd1;
  setp.ne.u32 %p1, %r2, 0;
  @%p1 bra $MET;
  setp.eq.u32 %p2, %r1, 5;
  selp.u32 %r5, 2, 1, %p2;
  red.release.gpu.global.add.u32 [%rd4], %r5;
$WAIT:
  ld.acquire.gpu.global.u32 %r6, [%rd4];
  setp.lt.u32 %p2, %r6, 2;
  @%p2 bra $WAIT;
$MET:
  bar.sync 0;
  xor.b32 %r7, %r3, 128;
  mad.wide.u32 %rd5, %r7, 4, %rd1;
  ld.global.u32 %r8, [%rd5+64];";
    let launch = "buf a[1040] of .u32 = 0; k<<<8, 128>>>(a) cooperative";
    let (text, status) = launched("counts-twice", &module(&kernel("k", pairs)), launch);
    assert_eq!(status, 1, "{text}");
    assert!(text.contains("by cta 5"), "{text}");
    let once = pairs.replace("selp.u32 %r5, 2, 1", "selp.u32 %r5, 1, 1");
    let (text, status) = launched("counts-once", &module(&kernel("k", &once)), launch);
    assert_ne!(status, 1, "{text}");
}

#[test]
fn whom_a_thread_with_another_choice_keeps_apart_is_looked_at() {
    let relay = "  and.b32 %r2, %r1, 7;
  shr.u32 %r3, %r1, 3;
  mad.wide.u32 %rd3, %r2, 4, %rd1;
  mov.u32 %r4, %tid.x;
  setp.ne.u32 %p1, %r4, 0;
  @%p1 ret;
  setp.eq.u32 %p1, %r3, 1;
  @%p1 bra $RELAY;
  setp.eq.u32 %p1, %r3, 2;
  @%p1 bra $READER;
  st.global.u32 [%rd3+64], 1;
  st.release.gpu.global.u32 [%rd3], 1;
  ret;
$RELAY:
  setp.eq.u32 %p1, %r2, 5;
  selp.u32 %r5, 3, %r2, %p1;
  mad.wide.u32 %rd4, %r5, 4, %rd1;
$HANDED:
  ld.acquire.gpu.global.u32 %r6, [%rd4];
  setp.eq.u32 %p2, %r6, 0;
  @%p2 bra $HANDED;
  st.release.gpu.global.u32 [%rd3+32], 1;
  ret;
$READER:
  ld.acquire.gpu.global.u32 %r6, [%rd3+32];
  setp.eq.u32 %p2, %r6, 0;
  @%p2 bra $READER;
  ld.global.u32 %r7, [%rd3+64];";
    let launch = "buf a[24] of .u32 = 0; k<<<24, 32>>>(a) cooperative";
    let (text, status) = launched("wrong-relay", &module(&kernel("k", relay)), launch);
    assert_eq!(status, 1, "{text}");
    assert!(text.contains("cta 5 thread 0") && text.contains("cta 21 thread 0"), "{text}");
    let own = relay.replace("selp.u32 %r5, 3, %r2", "selp.u32 %r5, %r2, %r2");
    let (text, status) = launched("own-relay", &module(&kernel("k", &own)), launch);
    assert_ne!(status, 1, "{text}");
}

#[test]
fn what_is_behind_a_wait_for_others_is_not_reached() {
    let barrier = "  mov.u32 %r2, %tid.x;
  setp.ne.u32 %p1, %r2, 0;
  @%p1 bra $MET;
  mov.u32 %r3, 1;
  shl.b32 %r3, %r3, %r1;
  red.release.gpu.global.or.b32 [%rd1], %r3;
$WAIT:
  ld.acquire.gpu.global.u32 %r4, [%rd1];
  setp.ne.u32 %p2, %r4, 255;
  @%p2 bra $WAIT;
$MET:
  bar.sync 0;
  st.global.u32 [%rd1+64], %r1;";
    let launch = "buf a[64] of .u32 = 0; k<<<8, 128>>>(a) cooperative";
    let (text, status) = launched("behind-a-wait", &module(&kernel("k", barrier)), launch);
    assert_eq!(status, 3, "{text}");
    assert!(text.contains("none of them is known to reach what accesses memory"), "{text}");
    // What a few of the CTAs wait for, others may do.
    let (text, status) = asked("hangs", "behind-a-wait", &module(&kernel("k", barrier)), launch);
    assert_eq!(status, 3, "{text}");
    assert!(text.contains("of 1024 threads of the launch were looked at"), "{text}");
}

/// What gates and expectations ask is asked of the launch, not of those of its threads that were looked at.
#[test]
fn gates_are_about_all_threads() {
    let test = r#"PTX tickets
"Of 300 threads, those with the last tickets store and go round for ever."
Expect=unknown
Hang=never
.visible .entry k(.param .u64 p) {
  .reg .pred %p<2>;
  .reg .b32 %r<3>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [p];
  atom.relaxed.gpu.global.add.u32 %r1, [%rd1], 1;
  setp.lt.u32 %p1, %r1, 200;
  @%p1 ret;
  st.global.u32 [%rd1+4], %r1;
FOR_EVER:
  bra FOR_EVER;
}
buf x[2] of .u32 = 0;
launch k<<<1, 300>>>(x);
exists (x[0] == 300)
"#;
    let path = std::env::temp_dir().join(format!("ptxmc-{}-tickets.litmus", std::process::id()));
    std::fs::write(&path, test).expect("the folder is there");
    let shown = path.display().to_string();
    let run = ptxmc(&["check", &shown, "--fail-on", "race,hang"]);
    let races = ptxmc(&["races", &shown]);
    std::fs::remove_file(&path).expect("it was written");
    assert_ne!(run.status, 0, "{}{}", run.out, run.err);
    assert_eq!(races.status, 3, "{}{}", races.out, races.err);
}
