#!/usr/bin/env node
'use strict'
require('./needs-node.cjs')
// Only a clone lacks it: the npm package and the image bring it along.
if (!require('node:fs').existsSync(require('node:path').join(__dirname, '../dist/switchyard.js'))) {
  console.error('This clone has no built program yet. Run npm run build, or type npm run -s switchyard -- instead.')
  process.exit(2)
}
import('../dist/switchyard.js').catch((error) => {
  console.error(error)
  process.exit(1)
})
