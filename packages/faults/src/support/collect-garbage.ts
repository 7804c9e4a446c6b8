// Loaded into the program by --import: a signal collects its garbage.
process.on('SIGUSR2', () => void globalThis.gc?.());
