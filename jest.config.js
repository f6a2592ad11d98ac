export default {
  testEnvironment: 'node',
  transform: {},
  maxWorkers: '100%',
  testPathIgnorePatterns: ['/node_modules/', '/build/'],
};
