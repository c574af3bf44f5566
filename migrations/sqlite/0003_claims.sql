-- Who carries out a step may change: the claim on it is told by a number that goes up with each taker, so that whoever lost a
-- step and comes back finds its claim gone, even where the step came back to the same process.
ALTER TABLE open_steps ADD COLUMN epoch INTEGER NOT NULL DEFAULT 1;

-- Steps that nobody carries out. There are hardly ever any; whoever looks for them looks often.
CREATE INDEX open_steps_free ON open_steps (stream_no, run, step) WHERE node IS NULL;
