/**
 * The kinds of tasks: `report` sends a weekly or monthly report, `alert` the mail of an alert, `mail` a mail about the sign-in of a person.
 * Each kind has its own keys.
 */
export type TaskKind = 'report' | 'alert' | 'mail';

/** The outcome of a task that was done; `skipped`: there was nothing to do. */
export type TaskOutcome = 'sent' | 'skipped';

/** Why a try failed. */
export interface TaskFailure {
  /** For people, such as the response of a mail server; at most 500 characters. */
  readonly detail: string;
  readonly at: Date;
}

/** A task that this process alone may do until the lease ends. */
export interface ClaimedTask {
  readonly kind: TaskKind;
  /** `null` for tasks that are about no website. */
  readonly websiteId: string | null;
  /** The name of the task, unique for its kind and website. A report has the name of its week or month. */
  readonly key: string;
  /** JSON that the kind reads and checks, such as the content of an alert; reports have none, and are made when they are sent. */
  readonly payload: unknown;
  /** The token of a link that the message has; it is stored encrypted, and `undefined` if it cannot be read with this key. */
  readonly token: string | undefined;
  /** How many tries have failed. */
  readonly failures: number;
  /** The last failure. */
  readonly failure: TaskFailure | undefined;
  /** When another process may claim it; it also distinguishes this claim from later ones. */
  readonly leasedUntil: Date;
}

/** A task and its state: `waiting` will be tried, perhaps again, and `failed` was abandoned. */
export interface TaskRecord {
  readonly key: string;
  readonly state: 'waiting' | 'failed' | TaskOutcome;
  /** The last failure; none once the task was done. */
  readonly failure: TaskFailure | undefined;
}

/**
 * Work to be done at least once, by one of any number of instances at a time, and again after failures. A task is recorded
 * in the transaction of its cause, once for its kind, website and key, by the port that knows the cause, such as
 * `ReportOutbox.record`. Tasks go with their website. Every method rejects with a `DomainError` of code `unavailable` while the
 * database is unreachable.
 */
export interface TaskQueue {
  /** Claims the task of the kind that is due longest at `now`, until `leasedUntil`. */
  claim(kind: TaskKind, now: Date, leasedUntil: Date): Promise<ClaimedTask | undefined>;

  /** Records that a task was done, and forgets its token; final, even if the lease has ended. */
  finish(task: ClaimedTask, outcome: TaskOutcome): Promise<void>;

  /** Records a failed attempt and when the next is due; without `retryAt` the task is abandoned, and its token forgotten. Has no effect if the lease was lost. */
  fail(task: ClaimedTask, failure: TaskFailure, retryAt: Date | undefined): Promise<void>;

  /** Removes a task, as if it had not been recorded. Has no effect if the lease was lost. */
  drop(task: ClaimedTask): Promise<void>;

  /** The tasks of a website, those with the highest keys first. Any string is accepted as an id. */
  records(kind: TaskKind, websiteId: string): Promise<TaskRecord[]>;

  /** Deletes the tasks of the kind that were due or claimed until before `time`; returns how many. */
  deleteBefore(kind: TaskKind, time: Date): Promise<number>;
}
