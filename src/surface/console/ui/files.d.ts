// What the build makes of files that are no code.
declare module '*.svg' {
  const address: string;
  export default address;
}

declare module '*.css';
