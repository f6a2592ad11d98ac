import js from '@eslint/js';
import globals from 'globals';

const rules = {
  eqeqeq: 'error',
  'no-unused-vars': ['error', { argsIgnorePattern: '^_', caughtErrors: 'none' }],
  'no-var': 'error',
  'prefer-const': 'error',
};

export default [
  { ignores: ['build/', 'dist/', 'node_modules/'] },
  js.configs.recommended,
  { rules, languageOptions: { ecmaVersion: 'latest', sourceType: 'module' } },
  { files: ['js/**'], languageOptions: { globals: globals['shared-node-browser'] } },
  { files: ['web/**'], languageOptions: { globals: globals.browser } },
  {
    files: ['*.js', 'bench/**', 'scripts/**', 'tests/**'],
    languageOptions: { globals: globals.node },
  },
  { files: ['tests/**'], languageOptions: { globals: globals.jest } },
  { files: ['tests/web/**'], languageOptions: { globals: globals.browser } },
];
