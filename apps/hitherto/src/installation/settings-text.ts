import { SETTINGS, type Setting } from './settings.ts';

// The table of settings as people read it. A test compares the files with these.

const settings: readonly Setting<unknown>[] = Object.values(SETTINGS);

/** The settings for `--help`. */
export function settingsHelp(): string {
  const width = Math.max(...settings.map(({ name }) => name.length));
  const lines = settings.map(
    ({ name, meaning, default: value = 'none' }) => `  ${name.padEnd(width)}  ${meaning} (${value})`,
  );
  return ['Environment:', ...lines].join('\n');
}

/** The file `.env.example`. */
export function envExample(): string {
  const lines = settings.flatMap(({ name, meaning, default: value, example = '' }) => [
    `# ${meaning}`,
    value === undefined ? `# ${name}=${example}` : `${name}=${value}`,
  ]);
  const head = [
    '# Copy to .env. The service and all commands read that file in their current folder, which npm makes the one of Hitherto.',
    '# Variables of the environment have priority. Every line is optional; values without a # are the defaults.',
  ];
  return `${[...head, ...lines].join('\n')}\n`;
}

/** The table of docs/settings.md. */
export function settingsTable(): string {
  const rows = settings.map(({ name, meaning, default: value = 'none' }) => [`\`${name}\``, value, meaning] as const);
  const all = [['Variable', 'Default', 'Meaning'] as const, ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [head, ...body] = all.map(line);
  return [head, line(widths.map((width) => '-'.repeat(width))), ...body].join('\n');
}
