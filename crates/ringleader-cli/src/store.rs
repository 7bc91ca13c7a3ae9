//! Records of sweeps: every trial is a row. Files are Parquet, typed and compact, and are written whole or not at all.

pub(crate) mod csv;
pub(crate) mod journal;
pub(crate) mod ledger;
pub(crate) mod meta;
pub(crate) mod parquet;
pub(crate) mod row;
pub(crate) mod seal;
