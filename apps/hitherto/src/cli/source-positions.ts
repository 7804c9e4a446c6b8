import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';

const POSITION = /(file:\/\/[^\s()]+\.js):(\d+):(\d+)/;

/**
 * Lets stack traces name sources and their lines. Node can do so too, but reads the maps of all modules at the start, and not only
 * where an error has a stack trace that somebody reads.
 */
export function showSourcePositions(): void {
  const maps = new Map<string, SourceMap | undefined>();
  const mapOf = (file: string) => {
    if (!maps.has(file)) maps.set(file, readMap(file));
    return maps.get(file);
  };
  const inSources = (frame: string) =>
    frame.replace(POSITION, (position, file: string, line: string, column: string) => {
      const entry = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1);
      if (entry === undefined || !('originalSource' in entry)) return position;
      const { originalSource: source, originalLine, originalColumn } = entry;
      // Maps of a bundle have names, those of single modules relative paths.
      const name = source.startsWith('.') ? new URL(source, file).href : source;
      return `${name}:${originalLine + 1}:${originalColumn + 1}`;
    });
  Error.prepareStackTrace = (error, frames) =>
    [headOf(error), ...frames.map((frame) => `    at ${inSources(String(frame))}`)].join('\n');
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

function headOf(error: Error): string {
  try {
    return String(error);
  } catch {
    return 'Error';
  }
}
