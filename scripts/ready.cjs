'use strict'
// Before npm start and npm run demo: what a clone needs first, in one line. Plain JavaScript, as an old Node reads it.
const path = require('node:path')
if (!require('node:fs').existsSync(path.join(__dirname, '../node_modules/vite'))) {
  console.error('The packages are not installed yet. Run: npm ci')
  process.exit(2)
}
require('../bin/needs-node.cjs')
