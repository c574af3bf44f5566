//! Black-box and cross-crate tests: the built program against a scripted model, its files, its sockets and its databases.
//!
//! One binary, so that everything is linked once. What a module needs from outside (PostgreSQL, node) it looks for, and
//! prints that it was skipped where there is none; where `CI=true` it fails instead.

mod aimock;
mod bad_input;
mod behind;
mod budget;
mod chat;
mod collections;
mod command_line;
mod console;
mod control;
mod course_pages;
mod crash;
mod deck_budget;
mod deck_edited;
mod deck_files;
mod deck_pull;
mod deck_reviewer;
mod deck_templates;
mod design_index;
mod design_vectors;
mod erasing;
mod export_step;
mod exporting;
mod golden;
mod layout;
mod model;
mod notes;
mod objects;
mod openapi;
mod post_clients;
mod post_control;
mod post_model;
mod providers;
mod recorded;
mod refine;
mod refine_by_chat;
mod report_clients;
mod report_control;
mod report_model;
mod run_course;
mod run_deck;
mod run_post;
mod run_report;
mod run_story;
mod search;
mod serving;
mod socketio;
mod sockets;
mod story_books;
mod story_clients;
mod story_resources;
mod support;
mod templates;
mod two_processes;
