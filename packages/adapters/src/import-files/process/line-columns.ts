import { type LogLine, type LogRequest, NO_REQUEST } from '@hitherto/domain/imports';
import { cutValue } from '../lines.ts';

/** Lines of a log with an array for each field. To send and receive an object for each line takes twice as long. */
export interface LineColumns extends Columns<LogRequest> {
  readonly text: readonly string[];
  readonly end: readonly number[];
  /** Of lines that are no requests, and lack its fields. */
  readonly other: readonly (typeof NO_REQUEST | undefined)[];
}

type Columns<Row> = { readonly [Field in keyof Row]-?: readonly (Row[Field] | undefined)[] };

/** Lines are shown as examples, no longer than this. */
const MAX_TEXT = 300;

/** The columns of lines, with as much of their texts and values as is used at most. */
export function columnsOf(lines: readonly LogLine[]): LineColumns {
  const requests = lines.map(({ read }) => (read === NO_REQUEST ? undefined : read));
  const cut = (fieldOf: (request: LogRequest) => string | undefined) =>
    requests.map((request) => {
      const value = request && fieldOf(request);
      return value && cutValue(value);
    });
  return {
    text: lines.map(({ text }) => text.slice(0, MAX_TEXT)),
    end: lines.map(({ end }) => end),
    other: lines.map(({ read }) => (read === NO_REQUEST ? read : undefined)),
    time: requests.map((request) => request?.time),
    method: cut(({ method }) => method),
    target: cut(({ target }) => target),
    status: requests.map((request) => request?.status),
    host: cut(({ host }) => host),
    ip: cut(({ ip }) => ip),
    userAgent: cut(({ userAgent }) => userAgent),
    referrer: cut(({ referrer }) => referrer),
    language: cut(({ language }) => language),
    contentType: cut(({ contentType }) => contentType),
  };
}

/** The lines of columns. */
export function linesOf(columns: LineColumns): readonly LogLine[] {
  return columns.text.map((text, at) => ({
    text,
    end: columns.end[at] ?? 0,
    read: requestAt(columns, at) ?? columns.other[at],
  }));
}

function requestAt(columns: LineColumns, at: number): LogRequest | undefined {
  const [time, method, target, status] = [columns.time[at], columns.method[at], columns.target[at], columns.status[at]];
  if (time === undefined || method === undefined || target === undefined || status === undefined) return undefined;
  return {
    time,
    method,
    target,
    status,
    host: columns.host[at],
    ip: columns.ip[at],
    userAgent: columns.userAgent[at],
    referrer: columns.referrer[at],
    language: columns.language[at],
    contentType: columns.contentType[at],
  };
}
