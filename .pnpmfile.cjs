// The package of Umami is here for its tracker, which tests run; the rest of Umami is not.
module.exports = {
  hooks: {
    readPackage: (manifest) => (manifest.name === 'umami' ? { ...manifest, dependencies: {} } : manifest),
  },
};
