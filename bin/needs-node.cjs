'use strict'
// Plain JavaScript of ten years ago, so that an old Node can read it and say what is wrong instead of failing on syntax.
const NEEDED = 24

// Fits the way it was started: npm brings its own Node into a clone, npx takes one along when asked.
function remedy(environment) {
  if (environment.npm_command === 'exec') return `Take one along: npx -p node@${NEEDED} -p switchyard switchyard`
  if (environment.npm_package_name === 'switchyard') return 'Run npm ci, which brings it along.'
  return `Install it from https://nodejs.org or with your version manager (nvm install ${NEEDED}).`
}

const found = process.versions.node
if (Number(found.split('.')[0]) < NEEDED) {
  console.error(`switchyard needs Node ${NEEDED} or newer, and this is Node ${found}. ${remedy(process.env)}`)
  process.exit(2)
}
