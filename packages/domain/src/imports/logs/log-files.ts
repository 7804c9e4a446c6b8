import type { LeftOutRequest } from './judge-request.ts';
import type { LogFile } from './log-place.ts';
import type { ReadLine } from './log-request.ts';

/** A line of a log. */
export interface LogLine {
  /** Empty if nobody is shown the line. */
  readonly text: string;
  /** The offset behind it, in uncompressed bytes. */
  readonly end: number;
  /** A request may have been judged already. */
  readonly read: ReadLine | LeftOutRequest;
}

/** A file of a log that can be read. */
export interface ReadableLogFile extends LogFile {
  /** For places of lines; empty if the file has no name that means anything. */
  readonly path: string;
  /** The lines from an offset on, in pieces as they are read. The last one is left out until it is complete. */
  lines(from: number): AsyncIterable<readonly LogLine[]>;
  /** The share of the file that has been read, from 0 to 1. */
  share(): number;
  /** Whether the last reading has left out the last line, because it has no end. */
  isUnfinished(): boolean;
}

/** Files that are read together. */
export interface OpenLogs {
  /** The oldest first. */
  readonly files: readonly ReadableLogFile[];
  /** Whether the first lines name the host that was asked for. */
  readonly hasHosts: boolean;
  close(): Promise<void>;
}

/** The files of logs. Methods reject with the error of the file system if a file cannot be read. */
export interface LogFiles {
  /** The name of the log that a file belongs to: without `.gz`, the number and the date that rotation adds. */
  nameOf(path: string): string;

  /** The files, and those next to them that rotation has made of the same log. */
  withRotated(paths: readonly string[]): Promise<readonly string[]>;

  /** Tells whether a file has changed: the same for files that have not. */
  stateOf(paths: readonly string[]): Promise<string>;

  /**
   * Opens the files of a log. Two names of one file, and a file with its compressed copy, count as one.
   *
   * @param format its name, or a notation; recognized by the first lines if it is absent
   * @returns `undefined` if all files are empty
   * @throws Error if the format is unknown or not recognized
   */
  open(paths: readonly string[], format: string | undefined): Promise<OpenLogs | undefined>;
}
