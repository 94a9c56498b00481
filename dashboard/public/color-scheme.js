// Before the first paint, so that a page in the dark does not flash. A file of its own: the page allows no inline script.
;(() => {
  const system = matchMedia('(prefers-color-scheme: dark)')
  const show = () => {
    let wanted = 'auto'
    try {
      wanted = localStorage.getItem('switchyard-color-scheme') ?? 'auto'
    } catch {
      // Storage may be switched off; then the system decides.
    }
    const isDark = wanted === 'dark' || (wanted !== 'light' && system.matches)
    document.documentElement.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light')
  }
  system.addEventListener('change', show)
  show()
})()
