//! Typesetting from the outside, in one program: pages, drawings, checks, and the files that office programs open.

mod book;
mod checks;
mod code;
mod corpus;
mod directions;
mod document;
mod draw;
mod formulas;
mod office;
mod one_page;
mod pages;
mod pictures;
mod standing;
