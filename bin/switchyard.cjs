#!/usr/bin/env node
'use strict'
// Plain old JavaScript, so that an old Node can read it and say what is wrong instead of failing on syntax.
var major = Number(process.versions.node.split('.')[0])
if (major < 24) {
  console.error('switchyard needs Node 24 or newer, and this is Node ' + process.versions.node + '.')
  process.exit(2)
}
import('../dist/switchyard.js').catch((error) => {
  console.error(error)
  process.exit(1)
})
