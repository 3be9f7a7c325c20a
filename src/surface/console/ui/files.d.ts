// Files that are not code, as the build provides them.
declare module '*.svg' {
  const address: string;
  export default address;
}

declare module '*.css';
