import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A temporary folder. */
export function newFolder() {
  const path = mkdtempSync(join(tmpdir(), 'hitherto-faults-'));
  return { path, close: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }) };
}
