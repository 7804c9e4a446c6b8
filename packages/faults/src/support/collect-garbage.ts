// Loaded into the program by --import: a signal that stops no program collects its garbage.
process.on('SIGWINCH', () => void globalThis.gc?.());
