import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';

const POSITION = /(file:\/\/[^\s()]+\.js):(\d+):(\d+)/;

const maps = new Map<string, SourceMap | undefined>();

/**
 * A line of a stack trace with the name and line of the source. Node can do so itself, but then reads the maps of all modules at the
 * start, and makes a stack trace of each connection that a client cuts.
 */
export function inSources(frame: string): string {
  return frame.replace(POSITION, (position, file: string, line: string, column: string) => {
    const entry = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (entry === undefined || !('originalSource' in entry)) return position;
    const { originalSource: source, originalLine, originalColumn } = entry;
    // Maps of a bundle have names, those of single modules relative paths.
    const name = source.startsWith('.') ? new URL(source, file).href : source;
    return `${name}:${originalLine + 1}:${originalColumn + 1}`;
  });
}

function mapOf(file: string): SourceMap | undefined {
  if (!maps.has(file)) maps.set(file, readMap(file));
  return maps.get(file);
}

function readMap(file: string): SourceMap | undefined {
  try {
    const payload: SourceMapPayload = JSON.parse(readFileSync(new URL(`${file}.map`), 'utf8'));
    return new SourceMap(payload);
  } catch {
    // It has no map.
    return undefined;
  }
}
