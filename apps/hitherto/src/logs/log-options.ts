/** The options of the commands that read logs. */
export interface LogOptions {
  readonly website?: string;
  readonly format?: string;
  readonly log?: string;
  readonly also?: true;
  readonly json?: true;
}

export interface LogImportOptions extends LogOptions {
  readonly keepGoing?: true;
}
