mod answer;
mod golden;
mod mentioned;
mod properties;
mod route;
mod skills;
mod table;
