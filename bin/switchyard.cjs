#!/usr/bin/env node
'use strict'
require('./needs-node.cjs')
import('../dist/switchyard.js').catch((error) => {
  console.error(error)
  process.exit(1)
})
