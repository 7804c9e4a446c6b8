// Preloaded by `--require`: prints the CommonJS files that a program has loaded when it ends.
process.on('exit', () => console.log(Object.keys(require.cache).join('\n')));
