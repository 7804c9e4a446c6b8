export { hitFile } from './hitherto.ts';
export { createImportFiles } from './process/import-files.ts';
