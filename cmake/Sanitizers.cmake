# One switch for every target, so that no library of ours is left unchecked.
if(ZONECUT_SANITIZE)
  add_compile_options(-fsanitize=${ZONECUT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${ZONECUT_SANITIZE})
endif()
