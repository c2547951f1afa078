# Writes the commit of SOURCE as a header, FILE, if that changes it: cmake -DSOURCE=... -DFILE=... -DCOMMIT=... -P this file.
# An archive of the sources has it in cmake/commit.txt, also where it is unpacked inside another repository.
# COMMIT: what to write where neither that nor git tells it.
file(STRINGS ${SOURCE}/cmake/commit.txt told REGEX "^[0-9a-f]+$")
if(told)
  string(SUBSTRING ${told} 0 12 told)
else()
  execute_process(COMMAND git --no-optional-locks -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
    OUTPUT_VARIABLE told OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(failed)
    set(told "${COMMIT}")
  endif()
endif()
set(text "#pragma once\n\nnamespace whorl::studies {\n\ninline constexpr const char* built_commit = \"${told}\";\n\n}\n")
set(before "")
if(EXISTS ${FILE})
  file(READ ${FILE} before)
endif()
if(NOT text STREQUAL before)
  file(WRITE ${FILE} "${text}")
endif()
