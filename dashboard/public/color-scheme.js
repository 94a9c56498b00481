// Before the first paint, so that a page in the dark does not flash. A file of its own: the page allows no inline script.
;(() => {
  let wanted = 'auto'
  try {
    wanted = localStorage.getItem('switchyard-color-scheme') ?? 'auto'
  } catch {
    // Storage may be switched off; then the system decides.
  }
  const isDark = wanted === 'dark' || (wanted !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light')
})()
