//! Statements of CUDA C++ in the place of PTX ones, with their equivalents in PTX.
//!
//! `paper-notes/language.md` has the same as a table, with the sections and tests behind it.

use crate::ptx::cursor::Cursor;
use crate::ptx::error::SyntaxError;
use crate::ptx::token::TokenKind;

/// The error that the next statement is one of CUDA C++; `None` where it does not look so.
#[must_use]
pub fn statement(cursor: &Cursor<'_>) -> Option<SyntaxError> {
    use TokenKind as T;
    let (word, next) = (cursor.peek_text(), cursor.text_at(1));
    let (found, help) = match (cursor.peek(), cursor.peek_at(1), cursor.peek_at(2)) {
        (Some(T::Word), Some(T::Colon), Some(T::Colon)) => (qualified(cursor), of_library(cursor)),
        (Some(T::Word), Some(T::Qualifier), Some(T::OpenParen)) => {
            (format!("{word}{next}"), method(next.trim_start_matches('.'))?)
        }
        (Some(T::Word), Some(T::Assign), _) => (format!("{word} ="), ASSIGNMENT.to_owned()),
        (Some(T::Word), Some(T::OpenParen), _) => {
            (word.to_owned(), function(word).or_else(|| keyword(word))?)
        }
        (Some(T::Word), ..) => (word.to_owned(), keyword(word)?),
        (_, Some(T::Word), Some(T::Assign)) if word == "*" => {
            (format!("*{next} ="), ASSIGNMENT.to_owned())
        }
        _ => return None,
    };
    Some(SyntaxError::Foreign { found, help, span: cursor.span() })
}

/// `cuda::atomic_ref`, the name that stands next.
fn qualified(cursor: &Cursor<'_>) -> String {
    let mut name = cursor.peek_text().to_owned();
    let mut ahead = 1;
    while cursor.text_at(ahead) == ":" && cursor.text_at(ahead + 1) == ":" {
        name.push_str("::");
        name.push_str(cursor.text_at(ahead + 2));
        ahead += 3;
    }
    name
}

const ASSIGNMENT: &str = "PTX has no assignments: `st.weak.global.u32 [x], 1;` writes memory, \
                          `ld.weak.global.u32 %r1, [x];` reads it, `mov.u32 %r1, 1;` sets a register";

/// The PTX equivalent of a function that kernels call.
fn function(name: &str) -> Option<String> {
    let text = match name {
        "__threadfence_block" => "write `fence.sc.cta;`",
        "__threadfence" => "write `fence.sc.gpu;`",
        "__threadfence_system" => "write `fence.sc.sys;`",
        "__syncthreads" => "write `bar.sync 0;`",
        "__syncthreads_count" => "write `bar.red.popc.u32 %r1, 0, %p1;`",
        "__syncthreads_and" => "write `bar.red.and.pred %p2, 0, %p1;`",
        "__syncthreads_or" => "write `bar.red.or.pred %p2, 0, %p1;`",
        "__syncwarp" => "write `bar.warp.sync 0xffffffff;`, with the mask of its argument",
        "__trap" => "write `trap;`",
        _ => return name.strip_prefix("atomic").and_then(atomic),
    };
    Some(text.to_owned())
}

/// The PTX equivalent of `atomicAdd` and the like, by the name after `atomic`.
fn atomic(name: &str) -> Option<String> {
    let (name, scope) = match name.rsplit_once('_') {
        Some((name, "block")) => (name, "cta"),
        Some((name, "system")) => (name, "sys"),
        None => (name, "gpu"),
        Some(_) => return None,
    };
    let (operation, operands) = match name {
        "Add" => ("add.u32", "1"),
        "Sub" => ("add.u32", "-1"),
        "Exch" => ("exch.b32", "1"),
        "CAS" => ("cas.b32", "0, 1"),
        "Min" => ("min.u32", "1"),
        "Max" => ("max.u32", "1"),
        "Inc" => ("inc.u32", "1"),
        "Dec" => ("dec.u32", "1"),
        "And" => ("and.b32", "1"),
        "Or" => ("or.b32", "1"),
        "Xor" => ("xor.b32", "1"),
        _ => return None,
    };
    let negated = if name == "Sub" { ", since PTX has no atomic subtraction" } else { "" };
    Some(format!("write `atom.relaxed.{scope}.global.{operation} %r1, [x], {operands};`{negated}"))
}

/// The PTX equivalent of names of the C++ library.
fn of_library(cursor: &Cursor<'_>) -> String {
    let has = |word| cursor.has(TokenKind::Word, word);
    if has("atomic_thread_fence") {
        "write `fence.acq_rel.gpu;` for orders up to acq_rel, `fence.sc.gpu;` for seq_cst, with the \
         scope of its second argument, `.sys` if there is none"
            .to_owned()
    } else {
        "threads have PTX statements; `paper-notes/language.md` says what the operations of the \
         CUDA C++ library are in PTX"
            .to_owned()
    }
}

/// The PTX equivalent of a member function of an atomic object.
fn method(name: &str) -> Option<String> {
    let instruction = match name {
        "load" => "ld.acquire.sys.global.u32 %r1, [x];",
        "store" => "st.release.sys.global.u32 [x], 1;",
        "exchange" => "atom.acq_rel.sys.global.exch.b32 %r1, [x], 1;",
        "compare_exchange_strong" | "compare_exchange_weak" => {
            "atom.acq_rel.sys.global.cas.b32 %r1, [x], 0, 1;"
        }
        "fetch_add" => "atom.acq_rel.sys.global.add.u32 %r1, [x], 1;",
        "fetch_sub" => "atom.acq_rel.sys.global.add.u32 %r1, [x], -1;",
        "fetch_and" => "atom.acq_rel.sys.global.and.b32 %r1, [x], 1;",
        "fetch_or" => "atom.acq_rel.sys.global.or.b32 %r1, [x], 1;",
        "fetch_xor" => "atom.acq_rel.sys.global.xor.b32 %r1, [x], 1;",
        "fetch_min" => "atom.acq_rel.sys.global.min.u32 %r1, [x], 1;",
        "fetch_max" => "atom.acq_rel.sys.global.max.u32 %r1, [x], 1;",
        _ => return None,
    };
    Some(format!(
        "write `{instruction}` with the order and scope of the C++ operation, and `fence.sc` of \
         that scope before it for seq_cst, which is the default"
    ))
}

/// The PTX equivalent of a C++ keyword at the start of a statement that is no opcode.
fn keyword(word: &str) -> Option<String> {
    let text = match word {
        "if" | "while" | "for" | "do" | "else" | "switch" => {
            "PTX branches: `setp.eq.u32 %p1, %r1, 0;`, then `@%p1 bra L;` with a label `L:`"
        }
        "return" => "write `ret;`",
        "asm" => "write what stands between its quotes, without them",
        "int" | "unsigned" | "float" | "double" | "auto" | "const" | "volatile" | "bool"
        | "uint32_t" | "uint64_t" | "int32_t" | "int64_t" => ASSIGNMENT,
        _ => return None,
    };
    Some(text.to_owned())
}
