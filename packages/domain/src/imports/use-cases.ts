import { DomainError } from '../base/errors.ts';
import { type Authored, makeEntry } from '../changes/entry.ts';
import type { WebsiteKey } from '../websites/website-key.ts';
import type { Import } from './import.ts';
import type { ImportDependencies } from './run-import.ts';

/** All imports of a website, the oldest first. Rejects with `not_found`. */
export async function listImports(
  { imports }: Pick<ImportDependencies, 'imports'>,
  website: WebsiteKey,
): Promise<Import[]> {
  const found = await imports.list(website);
  if (found === undefined) throw notFound();
  return found;
}

/** Rejects with `not_found`. */
export async function showImport(
  { imports }: Pick<ImportDependencies, 'imports'>,
  website: WebsiteKey,
  id: string,
): Promise<Import> {
  const found = await imports.find(website, id);
  if (found === undefined) throw notFound();
  return found;
}

/** Takes an import out again: all numbers are those from before. One that runs ends. Rejects with `not_found`. */
export async function deleteImport(
  deps: Authored & Pick<ImportDependencies, 'imports' | 'staging' | 'now' | 'newId'>,
  website: WebsiteKey,
  id: string,
): Promise<void> {
  const { websiteId, format } = await showImport(deps, website, id);
  const subject = { id, name: format };
  const { accountId } = website;
  const entry = makeEntry(deps, { accountId, action: 'import.deleted', websiteId, subject, changes: [] });
  if (!(await deps.staging.remove(id, deps.now(), { entry }))) throw notFound();
}

function notFound(): DomainError {
  return new DomainError('not_found', 'There is no such website, or no such import.');
}
