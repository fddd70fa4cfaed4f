//! Views: the fixed rules that render a Block as L3, L4 or L5, and what a Block shows at a level.
