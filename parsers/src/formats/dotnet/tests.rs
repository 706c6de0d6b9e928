//! Readings of whole outputs, each for one thing.
