// What the server says and takes, made from its types by `UPDATE_GOLDEN=1 cargo test --workspace golden`.
// A field with `?` is left out where it is absent, never null. Ids, cursors and times are text; times are RFC 3339 in UTC.

/** The client has taken in everything up to here. Advisory: nothing waits for it. */
export type Ack = { sub: string, cursor: Cursor };

/** An artifact with an address that opens without a key for a while. */
export type AddressedArtifact = {
  /** Signed; expires. */
  url: string,
  artifact: ArtifactId,
  kind: string,
  /** Counts the versions of this kind and item, from 1. */
  number: number,
  title: string,
  run: RunId,
  step: StepId,
  /** Empty for a stage with a single step. */
  item: string,
  /** What it was made from. */
  from: Array<ArtifactId>,
  /** Whether it counts now: in the head, or in the run at work. */
  current: boolean,
  /** Whether something that it was made from counts no longer: a person edited that, and left this as it was. */
  older?: boolean,
  /** Where the content is served. */
  content: string,
  blob?: BlobView,
};

/** The payload of `answer_gate`. */
export type AnswerGatePayload = {
  gate: string,
  /** As the gate's schema wants it. Where what is asked about can be edited, `edits` holds what is to be different. */
  answer: unknown,
};

/** A question was answered. */
export type AnswerGiven = {
  run: RunId,
  gate: GateId,
  answer?: unknown,
  /** `person`, `deadline`, `default` where nobody attends, or `superseded` where what it was about is made anew. */
  by: string,
};

/** How a gate was answered, and whether by a person or a deadline. */
export type AnswerView =
  | { is: "confirmed", edits?: ArtifactId, by: string }
  | { is: "declined", feedback?: string, by: string }
  | { is: "given", answer: unknown, by: string };

/** What an artifact is. */
export type ArtifactAnswer = {
  artifact: string,
  kind: string,
  /** Counts the versions of this kind and item in the session, from 1. */
  number: number,
  title: string,
  /** Where it was recorded: of an artifact that a fork inherited, the parent. */
  session: string,
  run: string,
  stage: string,
  /** Which one it is, where the stage makes several of this kind; else empty. */
  item: string,
  attempt: number,
  /** The version of the session that recorded it. */
  version: number,
  recorded_at: string,
  /** What it was made from. */
  from: Array<string>,
  shown: boolean,
  media_type: string,
  /** What it is called as a file. */
  file_name: string,
  /** Bytes. */
  size: number,
  /** Of the content. */
  sha256: string,
  /** Where the content is served. */
  content: string,
  /** The same, signed: it opens without a key until it expires. */
  url: string,
};

/** A content that is kept beside the events. */
export type ArtifactBlob = {
  sha256: Sha256,
  /** Bytes. */
  size: number,
  media_type: string,
  /** What it is called as a file. */
  file_name: string,
};

/** A person wrote the next version of an artifact: its step leaves it with this content and asks nobody. */
export type ArtifactEdited = {
  run: RunId,
  /** The version that was edited. */
  artifact: ArtifactId,
  kind: string,
  /** The step that leaves the next one. */
  step: StepId,
  /** The parts that are different, where the artifact holds several; else absent. */
  items?: Array<string>,
};

/** A typed, versioned product of a step. */
export type ArtifactId = string;

/** A step, or a person, made something. Its content is `body`, which the wire `lean` leaves out, or a file of which `blob` tells. */
export type ArtifactProduced = {
  artifact: ArtifactId,
  kind: string,
  /** Which one it is, where its step leaves several of this kind; stands in the place of the item then. */
  part?: string,
  /** Counts the versions of this kind and item in the session, from 1. */
  number: number,
  title: string,
  /** What it was made from. */
  from: Array<ArtifactId>,
  /** Whether a client should turn to it. */
  shown: boolean,
  /** Where the content is served: a path. */
  content: string,
  /** The content, where it is JSON and not large. */
  body?: unknown,
  blob?: ArtifactBlob,
  /** `r1/stage` or `r1/stage/item`; its parts follow. */
  step: StepId,
  run: RunId,
  stage: string,
  /** Empty for a stage with a single step. */
  item: string,
  /** Counted from 1 over the whole run, also across reopenings. */
  attempt: number,
};

/** A typed, versioned product. Its content is fetched. */
export type ArtifactView = {
  artifact: ArtifactId,
  kind: string,
  /** Counts the versions of this kind and item, from 1. */
  number: number,
  title: string,
  run: RunId,
  step: StepId,
  /** Empty for a stage with a single step. */
  item: string,
  /** What it was made from. */
  from: Array<ArtifactId>,
  /** Whether it counts now: in the head, or in the run at work. */
  current: boolean,
  /** Whether something that it was made from counts no longer: a person edited that, and left this as it was. */
  older?: boolean,
  /** Where the content is served. */
  content: string,
  blob?: BlobView,
};

/** The artifacts of a session. */
export type Artifacts = {
  /** The version that this is true at. */
  version: number,
  artifacts: Array<AddressedArtifact>,
};

/** A file of a message: an upload and the path that it gets in the session. */
export type Attachment = {
  /** Relative, with `/` between segments. */
  path: string,
  /** The name that the upload was given. */
  file?: string,
  /** Or the hash of its content. */
  sha256?: string,
};

/** Bytes that are kept beside the events, by their hash. */
export type BlobOf = {
  sha256: string,
  /** Bytes. */
  size: number,
};

/** Bytes kept beside the events, named by the hash of their plain content. */
export type BlobRef = {
  sha256: Sha256,
  /** Plain size in bytes. */
  size: number,
};

/** A content that is kept beside the events. */
export type BlobView = {
  sha256: string,
  /** Bytes. */
  size: number,
  media_type: string,
};

/** A run in the tree of a session. */
export type Branch = {
  run: RunId,
  /** The run that it builds on. */
  base_run?: RunId,
  /** Runs that build on it. */
  children: Array<RunId>,
  /** `running`, `waiting`, `completed`, `failed`, `cancelled`. */
  status: RunStatus,
  pipeline: string,
  brief: string,
  /** What was to be changed. */
  feedback?: string,
  is_head: boolean,
};

/** The runs of a session as a tree, and the sessions around it. */
export type Branches = {
  version: number,
  head?: RunId,
  runs: Array<Branch>,
  forked_from?: ForkedFrom,
  /** Sessions that were forked from this one. */
  forks: Array<string>,
};

/** Where the chain is broken, and how. */
export type BrokenAt = { position: number, what: string };

/**
 * Limits of one run. Defaults: a course deck of 12 pages takes about 20 calls and 150,000 tokens with a talkative model and one rejected
 * answer in four; each limit leaves about a factor of ten above that, so that it stops only a run that is out of control.
 */
export type Budget = {
  /** Exchanges with models and paid tools, failed ones included. */
  calls: number,
  /** Input and output together. */
  tokens: number,
  /** Millionths of the currency the prices are in. */
  cost_micros: number,
  /** Milliseconds that calls of models and tools take, added up also where calls are made at the same time. */
  working_ms: number,
};

/** A person allowed the run more than it had. */
export type BudgetRaised = {
  run: RunId,
  /** The new limits. */
  budget: Budget,
};

/** Limits of the run; those left out come from the configuration. */
export type BudgetRequest = {
  /** Exchanges with models and paid tools. */
  calls?: number,
  /** Input and output together. */
  tokens?: number,
  /** Millionths of the currency the prices are in. */
  cost_micros?: number,
  /** Milliseconds of work. */
  working_ms?: number,
};

/** What a run may use, has used, and holds back for its open steps. */
export type BudgetView = { limits: Budget, spent: SpentView, reserved: ReservedView };

/** Why an exchange gave no answer. */
export type CallError = {
  /**
   * `unreachable`, `timeout`, `rate_limited`, `out_of_credit`, `server`, `cut`, `rejected`, `auth`, `malformed`, `not_kept`,
   * `no_model_of_this_name`, `too_long`, `filtered`, `refused`, `empty`, `length`, `loop`, `not_an_answer`; of tools `off`,
   * `search_failed`, `unknown_tool`.
   */
  code: string,
  message: string,
  retryable: boolean,
  /** The wait that the provider asked for, in milliseconds. */
  retry_after_ms?: number,
  /** When this turn asks the model again; a restart of the server does not change this time. */
  again_at?: number,
  /** Until when this model is not asked if there is another one, because the model cannot work at present. */
  closed_until?: number,
};

/** An exchange with a model. Its bodies are at `/v1/sessions/{session}/blobs/{sha256}`. */
export type CallOf = {
  version: number,
  turn: number,
  role: string,
  model: string,
  prompt?: PromptOf,
  request: BlobOf,
  response?: BlobOf,
};

/** Why a call gave no answer. */
export type CallProblem = {
  code: string,
  message: string,
  retryable: boolean,
  /** What the provider asked for, in milliseconds. */
  retry_after_ms?: number,
  /** When the model is asked again by this turn. */
  again_at?: string,
  /** Until when nobody asks this model where there is another one. */
  closed_until?: string,
};

/** One turn: a question to a model or a call of a tool, with all exchanges that it took. */
export type CallRow = {
  step: StepId,
  run: RunId,
  stage: string,
  /** Empty for a stage with a single step. */
  item: string,
  attempt: number,
  turn: number,
  /** The version of the event that spoke of it first, and its time. */
  version: number,
  at: string,
  /** Exchanges, those without an answer included. */
  tries: number,
  /** Why exchanges gave no answer, in their order. */
  errors?: Array<CallError>,
  /** Of all exchanges together, in milliseconds. */
  latency_ms: number,
  /** Whether there is an answer, which is then never asked for again. */
  answered: boolean,
} & (
  | {
    call: "model",
    role: string,
    model: string,
    prompt?: PromptRef,
    /** Of the last exchange. */
    request: BlobRef,
    response?: BlobRef,
    finish_reason?: string,
    /** Of all exchanges together. */
    usage: Usage,
    /** Of all exchanges together, in millionths of the currency of the prices. */
    cost_micros: number,
  }
  | { call: "tool", tool: string, input: unknown, output?: BlobRef, summary?: string });

/** The payload of `cancel`. */
export type CancelPayload = {
  /** The active run where absent. The run of a queued message is cancelled when its turn comes, before anything is paid for. */
  run?: RunId,
  reason?: string,
};

/** Artifacts of a kind say whether something is wrong with what was made. */
export type CheckInfo = {
  kind: string,
  /** What people call it. */
  title: string,
  /**
   * Where the content says whether it passed: a JSON pointer, like the other places. There is `true`, `false`, or null where it could
   * not look at everything. Absent where the check only counts.
   */
  passed?: string,
  /** The words that are there instead of `true` and of null, where it says so in words. */
  words?: [string, string],
  /** What it counts, the worst first. */
  counts: Array<CountInfo>,
  /** Where the list of findings is. Each has a `message` or a `description`, which people are told where the check did not pass. */
  findings?: string,
  /** Where the list of texts is that say what was not looked at, and why. */
  unseen?: string,
};

/** What a client says. */
export type ClientFrame =
  | { frame: "hello" } & Hello
  | { frame: "subscribe" } & Subscribe
  | { frame: "ack" } & Ack
  | { frame: "unsubscribe" } & Unsubscribe
  | { frame: "command" } & CommandFrame
  | { frame: "ping" }
  | { frame: "pong" };

/** What a command became. */
export type CommandAnswer = {
  /** The version of the session that has it. */
  applied_version: number,
  /** The run that it started or queued. */
  run?: RunId,
  /** The child of a fork. */
  session?: SessionId,
  /** The command had been carried out before; this is the first answer. */
  duplicate: boolean,
  /** What would be done, where only that was asked. */
  plan?: Plan,
};

/** A command, as `POST /v1/sessions/{id}/commands` takes it. */
export type CommandFrame = {
  id: string,
  session: string,
  type: string,
  payload?: unknown,
  expected_version?: number,
  /** Whether only the plan is wanted. */
  dry_run?: boolean,
};

/** The command that recorded an event, and what else it recorded. */
export type CommandOf = {
  /** 32 hexadecimal digits. */
  id: string,
  /** The versions of its first and its last event. */
  from: number,
  to: number,
};

/** What each type of command takes as its payload. */
export type CommandPayloads = {
  open_session: OpenSessionPayload,
  send_message: SendMessagePayload,
  answer_gate: AnswerGatePayload,
  refine: RefinePayload,
  restart_step: RestartStepPayload,
  edit_artifact: EditArtifactPayload,
  skip_step: SkipStepPayload,
  resume: ResumePayload,
  cancel: CancelPayload,
  move_head: MoveHeadPayload,
  fork: ForkPayload,
  delete_session: DeleteSessionPayload,
};

/** A command to a session. */
export type CommandRequest = {
  /** The sender's name for this command; a repetition gets the first answer. */
  id: string,
  /**
   * `open_session`, `send_message`, `answer_gate`, `refine`, `restart_step`, `edit_artifact`, `skip_step`, `resume`, `cancel`,
   * `move_head`, `fork` or `delete_session`.
   */
  type: string,
  /** What the command needs, by its type. */
  payload?: unknown,
  /** Refused unless the session is at this version. */
  expected_version?: number,
  /**
   * Whether only the plan is wanted: what would be made again, what kept, and the most that it could cost. Nothing is done. For
   * `send_message`, `refine`, `restart_step`, `edit_artifact` and `resume`.
   */
  dry_run?: boolean,
};

/** What a pipeline spent on one model, or on one tool that costs something. */
export type CostRow = {
  pipeline: string,
  /** The model, or the tool. */
  model: string,
  calls: number,
  failed: number,
  input_tokens: number,
  output_tokens: number,
  /** Of the input, what the provider had kept. */
  cached_tokens: number,
  /** Millionths of the currency of the prices. */
  cost_micros: number,
  /** Milliseconds, those at the same time added up. */
  latency_ms: number,
};

/** A count of a check. */
export type CountInfo = {
  /** What is counted, as it is said after a number. */
  title: string,
  /** Where the number is in the content, or a list that is counted. */
  at: string,
};

/**
 * Says that this frame, and every frame before it, was seen: replaying after a cursor gives exactly the frames with a
 * greater one. Written `v<wire version>.<version>.<sub>`, opaque to clients. Cursors of one wire version are ordered.
 */
export type Cursor = string;

/** Routing, quality gates, skills: who decided what, and why. */
export type DecisionMade = { run: RunId, what: string, choice: string, reason: string, by: string };

/** Who decided what, and why. */
export type DecisionView = { what: string, choice: string, reason: string, by: string };

/** The payload of `delete_session`. */
export type DeleteSessionPayload = {
  /** Whether sessions that were forked from this one are erased with it; else it is refused while there are any. */
  forks?: boolean,
};

/** A pipeline as clients see it. */
export type Description = {
  name: string,
  title: string,
  description: string,
  input_schema: unknown,
  /** What files that come with a message are for, and how they are told apart; empty where none are taken. */
  takes_files: string,
  /** The folder of the session that files without a role are put into, with a slash at its end; empty for none. */
  sources_under: string,
  /** The roles that other files may have. */
  file_roles: Array<FileRole>,
  stages: Array<StageInfo>,
  artifacts: Array<KindInfo>,
  /** The kind of the deliverable. */
  delivers: string,
  /** The files in which the results are delivered, apart from the artifacts that are only data to look into. */
  forms: Array<FormInfo>,
  /** The artifacts that check what was made. */
  checks: Array<CheckInfo>,
  /** The words of the options of its questions. */
  options: Array<OptionInfo>,
  /** Whether its runs are begun by other runs and not by a person. */
  internal?: boolean,
};

/** The payload of `edit_artifact`: a person writes the next version of an artifact. Later changes keep it unless they are about it. */
export type EditArtifactPayload = {
  /** The current version, of the run that is the head. */
  artifact: string,
  /** All of it, as the schema of its kind wants it; see `GET /v1/pipelines`. */
  content: unknown,
  following?: Following,
  settings?: SettingsRequest,
};

/**
 * A frame as the native protocol, the JSON page and the SSE stream of events put it. `type` and `data` are a [`NativeEvent`],
 * or on another wire what that one says.
 */
export type Envelope = {
  /** The subscription, where a connection has several. */
  sub?: string,
  cursor: Cursor,
  /** The version of the event in its session. */
  version: number,
  /** When it was recorded. */
  ts: string,
} & NativeEvent;

/** An error answer. */
export type ErrorAnswer = { error: ErrorBody };

/** What every error answer holds. */
export type ErrorBody = {
  /** For programs; stable. */
  code: string,
  /** For people: what was wrong. */
  message: string,
  /** For people: what to do about it. */
  hint?: string,
  /** Whether the same request may succeed later. */
  retryable: boolean,
};

/** A page of events. */
export type EventPage = {
  events: Array<Envelope>,
  /** `after` of the next page. */
  cursor: string,
  /** Whether this was everything there is so far. */
  up_to_date: boolean,
};

/** An event as it was recorded. */
export type EventRecord = {
  version: number,
  /** 32 hexadecimal digits. */
  event_id: string,
  type: string,
  ts: string,
  /** `person:<owner>`, `system` or `deadline`. */
  actor: string,
  command: CommandOf,
  /** The version that it follows from; absent where nothing in the log brought it about. */
  cause?: number,
  /** As the native protocol has it. */
  data: unknown,
  /** Of what a step did: the exchange with a model behind it, the last one with an answer. */
  call?: CallOf,
};

/** A file of the session came to be, or has new content. */
export type FilePut = {
  /** Relative, with `/` between segments. */
  path: string,
  sha256: Sha256,
  /** Bytes. */
  size: number,
  media_type: string,
};

/** The session has no file of this path any longer. */
export type FileRemoved = { path: string };

/** A role that a file beside the sources may have. */
export type FileRole = {
  role: string,
  /** The folder of the session that a file of this role is put into, with a slash at its end. */
  folder: string,
};

/** A file of the session. */
export type FileView = { path: string, blob: BlobView };

/** What becomes of what was made from the version before. */
export type Following = "stays" | "redone";

/** The payload of `fork`. */
export type ForkPayload = {
  /** The last version that is taken from this session. */
  at: number,
  /** The name of the child; made where absent. */
  session?: string,
};

/** Where a fork comes from. */
export type ForkedFrom = {
  session: string,
  /** The last version taken from it. */
  at: number,
};

/** A form in which artifacts of a kind are written as files. */
export type FormInfo = {
  kind: string,
  /** What people call it. */
  title: string,
  /** Its file, such as `book.pdf`. `{item}` stands for the number of the artifact's item, where there are several. */
  file: string,
  /** The form in which the content is asked for (`?as=`); the content is written as it is where this is absent. */
  as?: string,
  /** The file is a page in Markdown that is put together from the content. */
  page?: PageInfo,
};

/** One opening of a gate; a gate that opens again has a new id. */
export type GateId = string;

/** The run waits for a person. */
export type GateOpened = {
  run: RunId,
  gate: GateId,
  /** Which gate of the pipeline this is. */
  name: string,
  /** What it is about. */
  subject?: ArtifactId,
  /** The step in whose middle a model asks, and which goes on with the answer. */
  step?: StepId,
  question: string,
  /** JSON Schema of the answer. */
  schema?: unknown,
  options: Array<string>,
  deadline?: string,
  /** The answer that the deadline gives. */
  default?: unknown,
};

/** A place where the run waits, or waited, for a person. */
export type GateView = {
  gate: GateId,
  name: string,
  subject?: ArtifactId,
  question: string,
  /** JSON Schema of the answer. */
  schema?: unknown,
  options?: Array<string>,
  deadline?: string,
  /** The answer that the deadline gives. */
  default?: unknown,
  /** Absent while it is open. */
  answer?: AnswerView,
};

/** What an attempt is told in addition to the stage's prompt. */
export type Guidance = {
  /** What a person or a reviewer wants changed. */
  feedback?: string,
  /** What was wrong with the attempt before. */
  violations?: Array<Violation>,
};

/** Another branch is the current one, because a person said so. */
export type HeadMoved = { run: RunId };

/** What a connection begins with. */
export type Hello = {
  protocol: number,
  /** A key, where no header and no sub-protocol carried one. */
  token?: string,
  /** Who is calling, for the server's log. */
  client?: string,
};

/** How the session's outputs came about and what they cost. */
export type HistoryAnswer = {
  /** Every turn, in the order in which they began. */
  calls: Array<CallRow>,
  /** What each run spent on each model. */
  ledger: Array<LedgerRow>,
};

/** How a message was understood. */
export type Intent = "initial" | "refinement" | "irrelevant" | "resumption" | "restart" | "edit";

/** The branch of the run is fixed: what it builds on and which artifacts it takes over. */
export type IntentClassified = {
  run: RunId,
  intent: Intent,
  /** The stage from which a refinement redoes the work. */
  target?: string,
  /** Where absent it builds on no run, whatever was said at its start. */
  base_run?: RunId,
  /** The language of the run, where it is not the one of its settings. */
  language?: string,
  /** Artifacts of the base run that this run uses as its own. */
  kept: Array<ArtifactId>,
  /** The steps that a restart does again. */
  steps?: Array<StepId>,
  /** 0 to 1; 1 where a person or a rule decided. */
  confidence: number,
  /** `rules`, `person`, or the name of the model. */
  by: string,
  reason: string,
  /** What is said to the person when the message is irrelevant. */
  reply?: string,
};

/** How the run's message was understood. */
export type IntentView = { intent: Intent, target?: string, confidence: number, by: string, reason: string };

/** An artifact kind and the JSON Schema of its content. */
export type KindInfo = {
  kind: string,
  /** Fields that follow from the rest of the content are `readOnly`. */
  schema: unknown,
  /** Whether a person may write its next version by hand. */
  editable: boolean,
};

/** How far a reading of the whole log is behind it. */
export type Lag = {
  name: string,
  /** Events. */
  behind: number,
};

/** A process that carries out steps. */
export type Lease = {
  node: string,
  /** Absent where the log belongs to this process alone, so that nobody could take its steps over. */
  lease_until?: string,
  /** Whether it is this process. */
  own: boolean,
};

/** What a run spent on one model. */
export type LedgerRow = {
  run: RunId,
  model: string,
  calls: number,
  failed: number,
  input_tokens: number,
  output_tokens: number,
  /** Of the input, what the provider had kept. */
  cached_tokens: number,
  /** Millionths of the currency of the prices. */
  cost_micros: number,
  /** Milliseconds, those at the same time added up. */
  latency_ms: number,
};

/** What a connection may do. */
export type Limits = { subscriptions: number, message_bytes: number, commands_waiting: number, ping_seconds: number };

/** A message of the conversation, from the person or to the person. */
export type MessageId = string;

/** A message came while a run was busy; its own run starts when that one has ended. */
export type MessageQueued = {
  message: MessageId,
  run: RunId,
  pipeline: string,
  /** What was said beside the message. */
  input?: unknown,
  settings: Settings,
};

/** A person said something. */
export type MessageReceived = {
  message: MessageId,
  /** The run that takes it up, started now or queued. */
  run: RunId,
  text: string,
  /** Paths of session files that came with it. */
  attachments: Array<string>,
};

/** The system said something. */
export type MessageSent = { message: MessageId, run: RunId, text: string };

/** Something that was said, either way. */
export type MessageView = {
  message: MessageId,
  /** `user` or `assistant`. */
  role: string,
  text: string,
  attachments?: Array<string>,
  run: RunId,
};

/** Nobody wants what a queued message asks for any longer. It keeps its turn; its run is cancelled when that comes. */
export type MessageWithdrawn = { message: MessageId, run: RunId, reason: string };

/** What a subscription begins with. */
export type Mode = "tail" | "snapshot";

/** One exchange with a model: an answer, which is never asked for again, or an error. */
export type ModelCalled = {
  turn: number,
  /** Exchanges of one turn, from 1. */
  try: number,
  /** What the model is for; decides which one is called. */
  role: string,
  /** The model that answered, as the provider names it, else the one that was asked. */
  model: string,
  prompt?: PromptRef,
  request: BlobRef,
  response?: BlobRef,
  finish_reason?: string,
  /** What the model said beside its calls of tools, else its reasoning; cut where it is long. */
  thought?: string,
  usage: Usage,
  /** Millionths of the currency the prices are in. */
  cost_micros: number,
  latency_ms: number,
  /** What refusals within the exchange taught of the model, in words. */
  learned?: Array<string>,
  error?: CallProblem,
  /** `r1/stage` or `r1/stage/item`; its parts follow. */
  step: StepId,
  run: RunId,
  stage: string,
  /** Empty for a stage with a single step. */
  item: string,
  /** Counted from 1 over the whole run, also across reopenings. */
  attempt: number,
};

/** The payload of `move_head`: another branch becomes the current one. */
export type MoveHeadPayload = { run: RunId };

/** A session with the name it was asked for by. */
export type NamedView = {
  session: string,
  /** The version that this is true at. */
  version: number,
  title: string,
  /** What a message of this session starts unless it says otherwise. */
  pipeline: string,
  forked_from?: Origin,
  erased: boolean,
  /** The run that is at work. */
  active?: RunId,
  /** The run whose artifacts are the current ones. */
  head?: RunId,
  /** In the order of their starting; a tree by `base_run` and `children`. */
  runs: Array<RunView>,
  artifacts: Array<ArtifactView>,
  messages: Array<MessageView>,
  /** Messages that wait for their turn, the next one first. */
  queue: Array<QueuedView>,
  files: Array<FileView>,
};

/**
 * An event as clients read it: the name and what it says. Serialised it is what it says alone; the name is beside it in
 * the [`Envelope`](super::Envelope), from which it is deserialised.
 */
export type NativeEvent =
  | { type: "session_opened", data: SessionOpened }
  | { type: "session_titled", data: SessionTitled }
  | { type: "session_forked", data: SessionForked }
  | { type: "session_erased", data: SessionErased }
  | { type: "message_received", data: MessageReceived }
  | { type: "message_queued", data: MessageQueued }
  | { type: "message_withdrawn", data: MessageWithdrawn }
  | { type: "message_sent", data: MessageSent }
  | { type: "file_put", data: FilePut }
  | { type: "file_removed", data: FileRemoved }
  | { type: "run_started", data: RunStarted }
  | { type: "intent_classified", data: IntentClassified }
  | { type: "refinement_requested", data: RefinementRequested }
  | { type: "artifact_edited", data: ArtifactEdited }
  | { type: "stage_started", data: StageStarted }
  | { type: "stage_closed", data: StageClosed }
  | { type: "stages_reopened", data: StagesReopened }
  | { type: "step_requested", data: StepRequested }
  | { type: "model_called", data: ModelCalled }
  | { type: "tool_called", data: ToolCalled }
  | { type: "tool_returned", data: ToolReturned }
  | { type: "output_rejected", data: OutputRejected }
  | { type: "artifact_produced", data: ArtifactProduced }
  | { type: "step_succeeded", data: StepSucceeded }
  | { type: "step_failed", data: StepFailed }
  | { type: "step_cancelled", data: StepCancelled }
  | { type: "decision_made", data: DecisionMade }
  | { type: "gate_opened", data: GateOpened }
  | { type: "plan_confirmed", data: PlanConfirmed }
  | { type: "plan_declined", data: PlanDeclined }
  | { type: "answer_given", data: AnswerGiven }
  | { type: "budget_raised", data: BudgetRaised }
  | { type: "run_completed", data: RunCompleted }
  | { type: "run_failed", data: RunFailed }
  | { type: "run_cancelled", data: RunCancelled }
  | { type: "head_moved", data: HeadMoved };

/** What happens to a message that comes while a run is busy. */
export type OnBusy = "enqueue" | "refuse" | "interrupt";

/** What a new session began with. */
export type OpenSessionAnswer = {
  session: string,
  run: RunId,
  /** The version of the session that has all of it. */
  version: number,
};

/** The payload of `open_session`: a session begins before anything is said in it. */
export type OpenSessionPayload = { pipeline: string };

/** A new session and what is wanted. */
export type OpenSessionRequest = {
  /** See `GET /v1/pipelines`. */
  pipeline: string,
  /** What is wanted, in the person's words. */
  message: string,
  /** What is said beside the message; see the pipeline's input schema. */
  input?: unknown,
  settings?: SettingsRequest,
  /** Uploads that come with the message. */
  attachments?: Array<Attachment>,
  /** The session's name; made where absent. */
  session?: string,
};

/** A step without an outcome. */
export type OpenStepRow = {
  /** Whose session it is. For the operator. */
  owner?: string,
  session: string,
  step: string,
  attempt: number,
  /** Not to be started before. */
  due: string,
  /** Who carries it out. */
  node?: string,
  /** What it waits for just now; absent while it is at work, and where another process carries it out. */
  waiting_for?: WaitingFor,
  /** Since when it waits for this. */
  since?: string,
};

/** How the server does. */
export type OperationsAnswer = {
  /** Of this process; the program's version. */
  node: string,
  program: string,
  started_at: string,
  /** The position of the log's last event, over all owners. For the operator. */
  head?: number,
  /** Whether the chain is being verified now. For the operator. */
  verifying?: boolean,
  /** What came of it last in this process. For the operator: what differs names sessions of any owner. */
  verified?: Verified,
  /** For the operator. */
  projections?: Array<Lag>,
  /** Processes that carry out steps, by their leases. For the operator. */
  nodes?: Array<Lease>,
  /** Of this owner, or of all owners for the operator; the first 500. */
  open_steps: Array<OpenStepRow>,
  /** Gates of this owner that answer themselves at a time, the first 500. */
  timers: Array<Timer>,
  /** What this owner's sessions spent. */
  costs: Array<CostRow>,
};

/** An option that people are offered, in words. */
export type OptionInfo = { option: string, title: string, description: string };

/** Where a fork comes from. */
export type Origin = {
  session: string,
  /** The last version taken from it. */
  at: number,
};

/** How a run ended. */
export type OutcomeView =
  | { is: "completed", final?: ArtifactId, partial: boolean }
  | { is: "failed", code: string, message: string }
  | { is: "cancelled", reason: string };

/** What a model got wrong; another attempt may follow. */
export type OutputRejected = {
  violations: Array<Violation>,
  /** `r1/stage` or `r1/stage/item`; its parts follow. */
  step: StepId,
  run: RunId,
  stage: string,
  /** Empty for a stage with a single step. */
  item: string,
  /** Counted from 1 over the whole run, also across reopenings. */
  attempt: number,
};

/** A page in Markdown, put together from a content in JSON: a heading, a text, tags and pictures. */
export type PageInfo = {
  /** Where the heading is in the content: a JSON pointer, like the other places. */
  title: string,
  text: string,
  /** A list of texts. */
  tags: string,
  pictures: PicturesInfo,
};

/** The pictures of a page, each an artifact of its own that is left as a file of the page. */
export type PicturesInfo = {
  /** The kind of the pictures. Only the page says which of these pictures belong to it. */
  kind: string,
  /** Where the list of pictures is in the content of the page. */
  list: string,
  /** The field of an entry that has the artifact's id. */
  artifact: string,
  /** The field of an entry that has the picture's number. */
  number: string,
  /** The file of a picture: `{item}` stands for its number, `{ending}` for the file name extension of its media type. */
  file: string,
};

/** Every pipeline. */
export type Pipelines = { pipelines: Array<Description> };

/** What would be done. */
export type Plan = {
  /** `initial`, `refinement`, `irrelevant`, `resumption`, `restart` or `edit`. */
  intent: Intent,
  /** Who says so: `person`, or `rules`. Where a model is asked it may understand a message otherwise. */
  by: string,
  reason: string,
  /** What would be said, where nothing would be made. */
  reply?: string,
  /** The stage that a change begins with. */
  target?: string,
  /** The parts that it is about; none where it is about all of them. */
  items: Array<string>,
  /** The parts that are left, in their new order; none where something else is wanted. */
  order: Array<string>,
  /** What would be made again; of something new, its stages. */
  redone: Array<PlannedStep>,
  /** What would be taken over as it is. */
  kept: Array<PlannedStep>,
  /**
   * The most that the attempts of these steps may use, each made once: calls, tokens, and millionths of the currency of the
   * prices. How many parts something new has is not known before; then only its stages are counted.
   */
  calls: number,
  tokens: number,
  cost_micros: number,
};

/** A proposal was accepted. */
export type PlanConfirmed = {
  run: RunId,
  gate: GateId,
  /** The next version of the subject, where the person changed it. */
  edits?: ArtifactId,
  /** `person`, `deadline`, or `superseded` where what it was about is made anew. */
  by: string,
};

/** A proposal was not accepted. */
export type PlanDeclined = {
  run: RunId,
  gate: GateId,
  feedback?: string,
  /** `person`, `deadline`, or `superseded` where what it was about is made anew. */
  by: string,
};

/** A step of a plan. */
export type PlannedStep = {
  stage: string,
  /** Empty for a stage with a single step. */
  item: string,
  /** What it has made before, as people know it; empty where it has made nothing yet. */
  title: string,
};

/** Which effects were on when the run started. */
export type Ports = {
  /** `offline` or `openai`. */
  model: string,
  search: boolean,
  /** Whether a provider makes pictures; otherwise pictures are drawn by this program. */
  images?: boolean,
  /** Whether a model makes vectors of texts; otherwise searches go by words alone. */
  embeddings?: boolean,
};

/** Prices in millionths of the currency for a million tokens, so that `micros = tokens * price / 1_000_000`. */
export type Price = {
  input: number,
  output: number,
  cached: number,
  /** Millionths for a picture. */
  image?: number,
};

/** Which prompt was sent: its path in `prompts/` without the ending, and the hash of its template. */
export type PromptOf = { id: string, sha256: string };

/** Which prompt was sent: its path without extension, and the hash of its template. */
export type PromptRef = { id: string, sha256: Sha256 };

/** A message that waits for its turn. */
export type QueuedView = {
  message: MessageId,
  /** The run that will take it up. */
  run: RunId,
  pipeline: string,
  /** Why it was withdrawn; its run is then cancelled when its turn comes. */
  withdrawn?: string,
};

/** The payload of `refine`: a new run redoes the stage and every later one. */
export type RefinePayload = {
  stage: string,
  /** The parts of the stage that are to be different, such as the numbers of pages; all of it where absent. */
  items?: Array<string>,
  feedback: string,
  /** The head where absent. */
  base_run?: RunId,
  settings?: SettingsRequest,
};

/** A change is wanted to an earlier run, from this stage on. */
export type RefinementRequested = {
  run: RunId,
  base_run: RunId,
  stage: string,
  feedback: string,
  /** The parts of the stage that the change is about; absent where it is about all of it. */
  items?: Array<string>,
  /** The parts that are left, in their new order; absent where something else is wanted. */
  order?: Array<string>,
};

/** The worst that one turn of a step may use; held back from the budget until the step has ended. */
export type Reserve = {
  calls: number,
  tokens: number,
  /** Millionths of the currency the prices are in. */
  cost_micros: number,
};

/** What a run holds back for its open steps. */
export type ReservedView = { calls: number, tokens: number, cost_micros: number };

/** The payload of `restart_step`: one step is done again, with everything made from it. */
export type RestartStepPayload = {
  stage: string,
  /** Absent for a stage with a single step. */
  item?: string,
  /** The active run, else the head, where absent. */
  run?: RunId,
  feedback?: string,
  settings?: SettingsRequest,
};

/** The payload of `resume`: a failed or cancelled run is taken up where it stopped. */
export type ResumePayload = {
  /** The latest run where absent. */
  run?: RunId,
  settings?: SettingsRequest,
};

/** The run was stopped. */
export type RunCancelled = { run: RunId, reason: string };

/**
 * The run delivered what it was asked for, or as much of it as there is. It becomes the head if it has a
 * deliverable, or is partial and has any artifact.
 */
export type RunCompleted = {
  run: RunId,
  /** The deliverable; absent after a message that asked for none. */
  final?: ArtifactId,
  partial: boolean,
};

/** The run ended without what it was asked for. */
export type RunFailed = {
  run: RunId,
  /** For programs: `stage_failed`, `budget`, `too_many_decisions` and others. */
  code: string,
  /** For people: what went wrong and what to do. */
  message: string,
};

/** One execution of a pipeline, counted from 1 within its session; written `r1`. */
export type RunId = string;

/** One execution of a pipeline begins. */
export type RunStarted = {
  run: RunId,
  pipeline: string,
  /** The run that this one builds on, where that is known at the start. */
  base_run?: RunId,
  message?: MessageId,
  /** What is wanted, in the person's words. */
  brief: string,
  /** What was said beside the message. */
  input?: unknown,
  settings: Settings,
  /** When it was started: a moment before this was recorded. */
  at: string,
};

/** How a run stands. */
export type RunStatus = "running" | "waiting" | "completed" | "failed" | "cancelled";

/** One execution of a pipeline. */
export type RunView = {
  run: RunId,
  base_run?: RunId,
  /** Runs that build on this one. */
  children: Array<RunId>,
  pipeline: string,
  status: RunStatus,
  brief: string,
  message?: MessageId,
  intent?: IntentView,
  feedback?: string,
  started_at: string,
  outcome?: OutcomeView,
  settings: Settings,
  budget: BudgetView,
  stages: Array<StageView>,
  gates: Array<GateView>,
  decisions: Array<DecisionView>,
  /** The artifacts that count in this run, made here or taken over. */
  artifacts: Array<ArtifactId>,
};

/** The payload of `send_message`. */
export type SendMessagePayload = {
  message: string,
  message_id?: string,
  pipeline?: string,
  input?: unknown,
  settings?: SettingsRequest,
  attachments?: Array<Attachment>,
};

/** What the server says. */
export type ServerFrame =
  | { frame: "welcome", protocol: number, limits: Limits }
  | {
    frame: "subscribed",
    sub: string,
    /** What comes next comes after this. */
    from: Cursor,
    /** The session's version. */
    head: number,
  }
  | {
    frame: "snapshot",
    sub?: string,
    /** The state is true at this cursor. */
    at: Cursor,
    view_version: number,
    /** Of the wire `course` it is what that one says. */
    state: SessionView,
  }
  | { frame: "event" } & Envelope
  | {
    frame: "delta",
    sub?: string,
    run: RunId,
    step: StepId,
    attempt: number,
    /** Characters that stay of what was said before; the rest is replaced by `text`. */
    offset: number,
    text: string,
  }
  | { frame: "up_to_date", sub?: string, cursor: Cursor }
  | { frame: "reset", sub?: string, reason: string, at: Cursor }
  | {
    frame: "closed",
    sub?: string,
    /** Nothing will ever follow. */
    final: boolean,
    outcome: string,
  }
  | { frame: "result", id: string } & (
    | {
      ok: true,
      /** The version of the session that has it. */
      applied_version: number,
      /** The run that it started or queued. */
      run?: RunId,
      /** The child of a fork. */
      session?: SessionId,
      /** The command had been carried out before; this is the first answer. */
      duplicate: boolean,
      /** What would be done, where only that was asked. */
      plan?: Plan,
    }
    | { ok: false, error: ErrorBody })
  | { frame: "error", sub?: string, error: ErrorBody }
  | { frame: "ping" }
  | { frame: "pong" };

/** The session ended for good; nothing of it can be read any longer. */
export type SessionErased = { reason: string };

/** The session branched off another one. What came before is that one's; gates that were open there are none here. */
export type SessionForked = {
  parent: SessionId,
  /** The last version taken from the parent. */
  at: number,
};

/** A conversation: one stream of the log, unique within its owner. */
export type SessionId = string;

/** A session begins. */
export type SessionOpened = {
  /** What a message of this session starts unless it says otherwise. */
  pipeline: string,
  /** For lists. */
  title: string,
};

/** A page of the list, newest first. */
export type SessionPage = {
  sessions: Array<SessionRow>,
  /**
   * `before` of the next page; absent on the last one. A page of what is looked for may be short, or empty, before the
   * last: a request looks at so many sessions and no more.
   */
  next?: number,
};

/** The line of a session in the list. */
export type SessionRow = {
  session: string,
  title: string,
  pipeline: string,
  /** `running`, `waiting`, `completed`, `failed`, `cancelled`. */
  status?: string,
  version: number,
  created_at: string,
  updated_at: string,
  forked_from?: ForkedFrom,
  /** What it spent itself, in millionths of the currency of the prices; absent until it is added up. */
  cost_micros?: number,
};

/** What the session is called in lists from now on. */
export type SessionTitled = { title: string };

/** A session. */
export type SessionView = {
  /** The version that this is true at. */
  version: number,
  title: string,
  /** What a message of this session starts unless it says otherwise. */
  pipeline: string,
  forked_from?: Origin,
  erased: boolean,
  /** The run that is at work. */
  active?: RunId,
  /** The run whose artifacts are the current ones. */
  head?: RunId,
  /** In the order of their starting; a tree by `base_run` and `children`. */
  runs: Array<RunView>,
  artifacts: Array<ArtifactView>,
  messages: Array<MessageView>,
  /** Messages that wait for their turn, the next one first. */
  queue: Array<QueuedView>,
  files: Array<FileView>,
};

/** Everything a run was started with that is not its brief. */
export type Settings = {
  /** BCP 47 tag of the language to write in, `zh` or `en` so far. */
  language: string,
  /** Whether somebody named the language; otherwise it is the language of the message. */
  language_named?: boolean,
  ports: Ports,
  /** Attempts that a step has: the first and its repetitions. */
  attempts: number,
  /** Steps of one stage that work at the same time. */
  width: number,
  /** Milliseconds between a failed attempt and the next one; doubled for each further one. */
  retry_wait_ms: number,
  budget: Budget,
  /** By model name. */
  prices?: { [key in string]: Price },
  /** The model of each role; `default` is the model of all roles that are not named. */
  models?: { [key in string]: string },
  /** Whether somebody may be there to answer a gate; where nobody is, gates take their default at once. */
  attended: boolean,
  /** Settings of the pipeline's own. */
  options?: unknown,
};

/** What a request may say about its run. What is left out comes from the configuration. */
export type SettingsRequest = {
  /**
   * BCP 47 tag of the language to write in, such as `zh`, `en`, `ar` or `pt-BR`; that of the message where absent. The program's
   * own words are Chinese or English.
   */
  language?: string,
  budget?: BudgetRequest,
  /**
   * What happens to a message that comes while a run is busy: `enqueue`, `refuse` or `interrupt`; as configured where
   * absent.
   */
  on_busy?: OnBusy,
  /** Whether somebody is there to answer gates; where nobody is, they take their defaults at once. Default false. */
  attended?: boolean,
  /** Attempts that a step has, 1 to 10, of a course 1 to 3. */
  attempts?: number,
  /** Steps of one stage that work at the same time, 1 to 32. */
  width?: number,
  /** Settings of the pipeline's own. */
  options?: unknown,
};

/** The SHA-256 of some bytes; as a text 64 lower-case hexadecimal digits. */
export type Sha256 = string;

/** The payload of `skip_step`: one piece of a stage is left out, the others go on. */
export type SkipStepPayload = {
  stage: string,
  item: string,
  /** The active run where absent. */
  run?: RunId,
};

/** What a run has used. */
export type SpentView = {
  calls: number,
  input_tokens: number,
  output_tokens: number,
  cost_micros: number,
  /** Milliseconds that calls took, those made at the same time added up. */
  working_ms: number,
};

/** A stage is over, or is gone back to. */
export type StageClosed = { run: RunId, stage: string, outcome: StageOutcome };

/** A stage as clients see it. */
export type StageInfo = {
  name: string,
  title: string,
  /** Artifact kinds it makes, the main one first. */
  artifacts: Array<string>,
  /** Whether single items of it can be left out while the run is at work. */
  skippable: boolean,
};

/** How a stage was closed. */
export type StageOutcome = "completed" | "failed" | "cancelled" | "reopened";

/** A stage begins, for the first time or once more. */
export type StageStarted = {
  run: RunId,
  stage: string,
  /** How many pieces of work may be counted, 1 for a single step. */
  items: number,
};

/** A phase of a run. */
export type StageView = {
  stage: string,
  /** `open`, `completed`, `failed`, `cancelled`, `reopened`. */
  status: string,
  items: number,
  /** How often it was gone back to. */
  reopened: number,
  steps: Array<StepView>,
};

/** Going back: these stages and steps count as not done, and what the steps made does not count. */
export type StagesReopened = {
  run: RunId,
  stages: Array<string>,
  steps: Array<StepId>,
  /** What the redone steps are told. */
  feedback?: string,
  /** The stage that the feedback is for; every one of them where absent. */
  feedback_for?: string,
  reason: string,
};

/** The attempt was given up; it counts as none. */
export type StepCancelled = {
  /** `cancelled`, `forked`, `reopened`, `run_failed`, `budget`, `skipped`. */
  reason: string,
  /** `r1/stage` or `r1/stage/item`; its parts follow. */
  step: StepId,
  run: RunId,
  stage: string,
  /** Empty for a stage with a single step. */
  item: string,
  /** Counted from 1 over the whole run, also across reopenings. */
  attempt: number,
};

/** Why the latest attempt failed. */
export type StepError = { code: string, message: string, retryable: boolean };

/** The attempt failed; another may follow where it is retryable. */
export type StepFailed = {
  /** For programs. */
  code: string,
  /** For people. */
  message: string,
  retryable: boolean,
  /** `r1/stage` or `r1/stage/item`; its parts follow. */
  step: StepId,
  run: RunId,
  stage: string,
  /** Empty for a stage with a single step. */
  item: string,
  /** Counted from 1 over the whole run, also across reopenings. */
  attempt: number,
};

/**
 * One unit of work: a stage of a run, and the item of the stage when it has several. Written `r1/stage` or
 * `r1/stage/item`; neither a stage nor an item contains a slash.
 */
export type StepId = string;

/** The world is asked to do something. */
export type StepRequested = {
  /** Not to be started before. */
  due: string,
  guidance: Guidance,
  /** Held back from the budget until the step ends. */
  reserve: Reserve,
  /** `r1/stage` or `r1/stage/item`; its parts follow. */
  step: StepId,
  run: RunId,
  stage: string,
  /** Empty for a stage with a single step. */
  item: string,
  /** Counted from 1 over the whole run, also across reopenings. */
  attempt: number,
};

/** The attempt made what was wanted. */
export type StepSucceeded = {
  artifacts: Array<ArtifactId>,
  /** `r1/stage` or `r1/stage/item`; its parts follow. */
  step: StepId,
  run: RunId,
  stage: string,
  /** Empty for a stage with a single step. */
  item: string,
  /** Counted from 1 over the whole run, also across reopenings. */
  attempt: number,
};

/** A unit of work. */
export type StepView = {
  step: StepId,
  /** Empty for a stage with a single step. */
  item: string,
  /** `open`, `succeeded`, `failed`, `cancelled`, `reopened`. */
  status: string,
  /** The latest attempt, from 1. */
  attempt: number,
  error?: StepError,
  /** What was wrong with the latest output, if it was rejected. */
  violations?: Array<string>,
  /** Turns of the latest attempt that have an answer. */
  turns: number,
  artifacts: Array<ArtifactId>,
};

/** What happens in a session is wanted. */
export type Subscribe = {
  /** The client's name for the subscription. */
  sub: string,
  session: string,
  /** `events`, `state`, or the name of a wire. */
  view?: string,
  /** `start`, `now` or a cursor. */
  after?: string,
  mode?: Mode,
  /** Whether text is wanted while it is made. */
  deltas?: boolean,
};

/** A gate that answers itself at a time. */
export type Timer = { session: string, run: string, gate: string, due: string };

/** A tool is about to be called. */
export type ToolCalled = {
  turn: number,
  tool: string,
  input?: unknown,
  /** `r1/stage` or `r1/stage/item`; its parts follow. */
  step: StepId,
  run: RunId,
  stage: string,
  /** Empty for a stage with a single step. */
  item: string,
  /** Counted from 1 over the whole run, also across reopenings. */
  attempt: number,
};

/** A tool answered; the answer is never asked for again. */
export type ToolReturned = {
  turn: number,
  tool: string,
  output: BlobRef,
  /** One line for people. */
  summary: string,
  latency_ms: number,
  /** Millionths of the currency the prices are in; absent where it costs nothing. */
  cost_micros?: number,
  error?: CallProblem,
  /** `r1/stage` or `r1/stage/item`; its parts follow. */
  step: StepId,
  run: RunId,
  stage: string,
  /** Empty for a stage with a single step. */
  item: string,
  /** Counted from 1 over the whole run, also across reopenings. */
  attempt: number,
};

/** Nothing more is wanted. */
export type Unsubscribe = { sub: string };

/** What an upload became. */
export type Uploaded = {
  /** Its name in attachments. */
  file: string,
  /** Of the content, in hexadecimal. */
  sha256: string,
  /** From the content. */
  media_type: string,
  /** Bytes. */
  size: number,
};

/** Tokens as the provider counted them, or as they were estimated where it did not; 0 where there was no answer. */
export type Usage = {
  input: number,
  output: number,
  cached?: number,
  /** Whether the provider did not count, so that these are an estimate. */
  estimated?: boolean,
};

/** What a verification of the log found. */
export type Verified = {
  at: string,
  sound: boolean,
  /** The chain was computed again up to this position. */
  to: number,
  events: number,
  /** Where the chain is first broken. */
  broken?: BrokenAt,
  /** In what way what is kept beside the events differs from them. */
  differences?: Array<string>,
  /** What was not looked at, and why. */
  unseen?: Array<string>,
  /** Why it could not be verified. */
  error?: string,
};

/** That a verification is under way. */
export type Verifying = {
  /** Whether this request began it, and not an earlier one. */
  began: boolean,
};

/** What a model got wrong, in words that it can act upon. */
export type Violation = {
  /** JSON pointer into the output; empty for the whole. */
  path: string,
  message: string,
};

/**
 * What a step waits for: the time of its next attempt or try (`retry`); the end of a pause after its provider had too many calls
 * (`pause`); what its provider takes in a minute (`rate`); a place among the calls to its provider (`seat`); the first byte of an answer
 * (`first_byte`); a person who answers a gate (`gate`); the log (`log`); contents beside the log (`blob`).
 */
export type WaitingFor = "retry" | "pause" | "rate" | "seat" | "first_byte" | "gate" | "log" | "blob";
