import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new temporary folder; `close` removes it. */
export function newFolder() {
  const path = mkdtempSync(join(tmpdir(), 'hitherto-testing-'));
  return { path, close: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }) };
}
