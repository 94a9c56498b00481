import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core'

/** Every colour, size and default of the dashboard's look is here. */

/** The colour of the name and of what can be pressed. */
const rail: MantineColorsTuple = [
  '#eef0ff',
  '#dcdffb',
  '#b6bbf3',
  '#8d94ec',
  '#6b73e6',
  '#565fe2',
  '#4c4fd8',
  '#3d41be',
  '#3439ab',
  '#292f97',
]

/** Grey with a little blue in it, so that large dark surfaces do not look dead. */
const dark: MantineColorsTuple = [
  '#d5d8e0',
  '#b3b8c6',
  '#969db0',
  '#6c7489',
  '#3b4153',
  '#2b3040',
  '#212533',
  '#181b26',
  '#12141d',
  '#0c0e15',
]

/** For series in charts: distinguishable to most eyes, in light and in dark, in this order. */
export const SERIES = [
  'var(--series-1)',
  'var(--series-2)',
  'var(--series-3)',
  'var(--series-4)',
  'var(--series-5)',
  'var(--series-6)',
  'var(--series-7)',
  'var(--series-8)',
] as const

/** What is left over when there are more groups than colours. */
export const REST_COLOR = 'var(--series-rest)'

export const theme = createTheme({
  primaryColor: 'rail',
  primaryShade: { light: 6, dark: 5 },
  colors: { rail, dark },
  fontFamily: "'Inter Variable', system-ui, -apple-system, 'Segoe UI', sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', 'Cascadia Code', Menlo, Consolas, 'DejaVu Sans Mono', monospace",
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.25rem' },
  headings: {
    fontWeight: '650',
    sizes: { h1: { fontSize: '1.375rem', lineHeight: '1.3' }, h2: { fontSize: '1rem', lineHeight: '1.4' } },
  },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  autoContrast: true,
  components: {
    Button: { defaultProps: { size: 'sm' } },
    TextInput: { defaultProps: { size: 'sm' } },
    NumberInput: { defaultProps: { size: 'sm' } },
    Select: { defaultProps: { size: 'sm' } },
    MultiSelect: { defaultProps: { size: 'sm' } },
    Textarea: { defaultProps: { size: 'sm' } },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 250, multiline: true, maw: 360 } },
    Modal: { defaultProps: { centered: true, overlayProps: { backgroundOpacity: 0.4 } } },
    ModalTitle: { defaultProps: { fw: 650, fz: 'lg' } },
    // Elements of a dialog, not a second banner of the page; a cross needs a name.
    ModalHeader: { defaultProps: { role: 'presentation' } },
    DrawerHeader: { defaultProps: { role: 'presentation' } },
    ModalCloseButton: { defaultProps: { 'aria-label': 'Close' } },
    DrawerCloseButton: { defaultProps: { 'aria-label': 'Close' } },
    // In the case they are written in: capitals shout, and hide what is a name.
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    Badge: { defaultProps: { variant: 'light', radius: 'sm', tt: 'none', fw: 600 } },
  },
})

export const variables: CSSVariablesResolver = () => ({
  variables: { '--mantine-line-height': '1.5' },
  light: {
    '--mantine-color-body': '#ffffff',
    '--mantine-color-dimmed': '#5a6274',
    '--mantine-color-error': '#c22f2f',
    // The kit's own are too pale to read.
    '--mantine-color-placeholder': '#667085',
    '--mantine-color-yellow-light-color': '#854d00',
    // Most requests are fine: their badge is the quietest.
    '--mantine-color-teal-light': '#e2f6ee',
    '--mantine-color-teal-light-color': '#0b6b4d',
    '--surface-sunken': '#f7f8fa',
    '--surface-raised': '#ffffff',
    '--line': '#e3e6ec',
    '--text-strong': '#171a22',
    '--good': '#147d4f',
    '--bad': '#c22f2f',
    '--warn': '#9a5b00',
    '--series-1': '#4c4fd8',
    '--series-2': '#0e9594',
    '--series-3': '#d97a06',
    '--series-4': '#c2417c',
    '--series-5': '#5a9216',
    '--series-6': '#3b82c4',
    '--series-7': '#8b5cc9',
    '--series-8': '#a0522d',
    '--series-rest': '#9aa1b1',
  },
  dark: {
    '--mantine-color-body': '#12141d',
    '--mantine-color-placeholder': '#8b93a8',
    '--mantine-color-anchor': '#8d94ec',
    '--mantine-color-dimmed': '#9aa2b6',
    '--mantine-color-error': '#ff7b7b',
    // The kit's own makes large notices glow.
    '--mantine-color-yellow-light': 'rgba(240, 177, 74, 0.09)',
    '--mantine-color-yellow-light-color': '#ecc887',
    '--surface-sunken': '#0c0e15',
    '--surface-raised': '#181b26',
    '--line': '#2b3040',
    '--text-strong': '#f0f2f7',
    '--good': '#4fc98d',
    '--bad': '#ff7b7b',
    '--warn': '#f0b14a',
    '--series-1': '#8d94ec',
    '--series-2': '#3fc1bf',
    '--series-3': '#f0a343',
    '--series-4': '#ec7fb0',
    '--series-5': '#97cc54',
    '--series-6': '#74b3ea',
    '--series-7': '#bb95ec',
    '--series-8': '#cf8f6d',
    '--series-rest': '#6c7489',
  },
})
