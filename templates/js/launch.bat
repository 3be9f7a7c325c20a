@echo off
node "%~dp0main.js" %*
